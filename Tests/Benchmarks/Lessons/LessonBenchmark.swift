import ArgumentParser
import AudioCore
import AudioIO
import Corpora
import Degradations
import EarshotKit
import Evaluation
import KitTestSupport
import LessonTiming
import Metrics

/// Measures the timing of questions and answers shown beside degraded lessons.
@main
struct LessonBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lesson-benchmark",
        abstract: "Measure when the timed items of a lesson are shown.",
        discussion: """
            The lesson is an audio file, or tracks of a corpus one after the other. It is played as it is, 3 % faster, and \
            under babble at 5 dB; a second of playback is compared with where it must be.
            """)

    @Argument(help: "An audio file that is taken for a lesson.") var file: String?
    @Option(help: "Without a file: the corpus.") var corpus = "games"
    @Option(help: "The half of the corpus, where it has one.") var half: String?
    @Option(help: "Where in the list of its tracks to begin.") var first = 0
    @Option(help: "The length of the lesson in seconds.") var seconds = 600.0
    @Option(help: "Milliseconds in a buffer.") var buffer = 20.0
    @Flag(help: "Print what was shown when.") var verbose = false
    @Option(help: "Chains, as YAML lists.") var chain = [
        "[]", "[{speed: {percent: 3}}]", "[{babble: {voices: 6, snrDecibels: 5, seed: 1}}]",
    ]

    func run() throws {
        let library = try CorpusLibrary()
        let lesson = try file.map { try Self.mono(AudioFile.read($0)) } ?? music(in: library)
        let material = try CorpusMaterial(library: library, music: nil)
        let length = min(seconds, lesson.durationSeconds)
        let quiz = Quiz(lessonSeconds: length)
        let signature = try SHSignature.of(lesson)
        for text in chain {
            var generator = SeededGenerator(seed: 1, "lesson", text)
            let chain = DegradationChain(
                steps: try PlanFile.chain(text: text).map { try $0.draw(using: &generator) })
            // The lesson's length after the degradation.
            let second = chain.sourceSeconds(forSeconds: 1000) - chain.sourceSeconds(forSeconds: 999)
            let clip = try chain.render(
                source: lesson, startSeconds: 0, lengthSeconds: length / second, material: material)
            let playback = try LessonPlayback(
                of: clip, signature: signature, quiz: quiz, secondsPerBuffer: buffer / 1000)
            if verbose {
                for change in playback.changes {
                    print(
                        "\(change.seconds) (\(clip.timeMap(change.seconds)) of the lesson): \(change.screen)")
                }
            }
            let errors = playback.errorsSeconds.map { abs($0) * 1000 }
            func percentile(_ fraction: Double) -> String {
                Percentile.ofSorted(errors.filter(\.isFinite).sorted(), at: fraction)
                    .map { "\(($0 * 10).rounded() / 10) ms" } ?? "none"
            }
            print(
                "\(text): \(errors.count) begins and ends in \(length) s, missed or flickering"
                    + " \(errors.count { $0.isInfinite }), beyond 50 ms \(errors.count { $0 > 50 });"
                    + " error median \(percentile(0.5)), p95 \(percentile(0.95)), worst \(percentile(1))")
        }
    }

    /// Concatenates tracks of the corpus up to the required length.
    private func music(in library: CorpusLibrary) throws -> AudioBuffer {
        let corpus = try Corpus.open(named: corpus, in: library)
        var samples: [Float] = []
        for track in corpus.tracks(of: half.flatMap(CorpusHalf.init(rawValue:))).dropFirst(first) {
            samples += try Self.mono(corpus.audio(of: track)).samples
            if Double(samples.count) >= seconds * 44_100 { break }
        }
        return AudioBuffer(samples: samples, sampleRate: 44_100)
    }

    private static func mono(_ audio: AudioBuffer) throws -> AudioBuffer {
        var mean = [Float](repeating: 0, count: audio.frameCount)
        for channel in 0..<audio.channelCount {
            audio.withChannel(channel) { plane in
                for frame in mean.indices { mean[frame] += plane[frame] / Float(audio.channelCount) }
            }
        }
        let mono = AudioBuffer(samples: mean, sampleRate: audio.sampleRate)
        return audio.sampleRate == 44_100 ? mono : try Resampler.resample(mono, to: 44_100)
    }
}

extension Corpus {
    /// The enrolled tracks of one half or both; all tracks of a corpus without halves.
    fileprivate func tracks(of half: CorpusHalf?) -> [Track] {
        let enrolled = tracks.filter { track in
            guard case .enrolled(let place) = track.role else { return false }
            return half == nil || half == place
        }
        return enrolled.isEmpty ? tracks : enrolled
    }
}

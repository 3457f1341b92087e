import ArgumentParser
import AudioCore
import AudioIO
import Degradations
import Evaluation
import Fingerprinting
import Foundation

/// How often something is named in hours of audio that is in no reference, and what that costs.
struct NegativesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "negatives")

    @Option(help: "The corpus.") var corpus = "games"
    @Option(help: "The half that is enrolled; the other half and all negatives are played.") var half = "test"
    @Option(help: "Chains, as YAML lists: all audio is played once under each.") var chain: [String] = ["[]"]
    @Option(help: "Sample frames in a block.") var block = 4096

    func run() throws {
        guard let half = CorpusHalf(rawValue: half) else { throw ValidationError("no half \(half)") }
        let library = try CorpusLibrary()
        let corpus = try Corpus.open(named: corpus, in: library)
        let material = try CorpusMaterial(library: library, music: corpus)
        let enrolled = corpus.tracks.filter { $0.role == .enrolled(half) }
        let classes = Set(enrolled.map(\.classID))
        let played = corpus.tracks.filter { $0.role != .enrolled(half) && !classes.contains($0.classID) }
        let catalog = try StreamCatalog(of: enrolled, in: corpus)
        var stream = try StreamMatcher(catalog: catalog.catalog, sampleRate: 44_100, channelCount: 1)
        var seconds = 0.0
        var false_ = 0
        var matching = 0.0
        for text in chain {
            let templates = try PlanFile.chain(text: text)
            for (number, track) in played.enumerated() {
                var generator = SeededGenerator(seed: 1, track.id, text)
                let steps = try templates.map { try $0.draw(using: &generator) }
                let audio = try corpus.audio(of: track)
                let length = audio.durationSeconds - 1
                let chain = DegradationChain(steps: steps)
                let usable = min(length, length * length / chain.sourceSeconds(forSeconds: length))
                let clip = try chain.render(
                    source: audio, startSeconds: 0.5 * max(0, audio.durationSeconds - usable),
                    lengthSeconds: usable, material: material)
                let mono = try Self.mono(clip.audio)
                let before = Self.processorSeconds()
                for start in stride(from: 0, to: mono.frameCount, by: block) {
                    let frames = mono.frames(start..<min(mono.frameCount, start + block))
                    for event in try stream.append(frames) where event.kind == .found {
                        false_ += 1
                        let best = event.matches[0]
                        print(
                            "\(text) \(track.id) named \(best.referenceID), score \(best.score), of"
                                + " \(event.query.durationSeconds) s at \(stream.heardSeconds - seconds) s")
                    }
                }
                matching += Self.processorSeconds() - before
                seconds += mono.durationSeconds
                if number % 20 == 0 {
                    print(
                        "\(seconds / 3600) h, \(false_) false, \(matching / seconds * 3600) CPU s an hour,"
                            + " \(Self.residentMegabytes()) MB")
                }
            }
        }
        print(
            "\(seconds / 3600) h played of \(played.count) tracks,"
                + " \(played.reduce(0) { $0 + $1.durationSeconds } / 3600) h of them distinct: \(false_) false,"
                + " \(matching / seconds * 3600) CPU s an hour, \(Self.residentMegabytes()) MB")
    }

    private static func mono(_ audio: AudioBuffer) throws -> AudioBuffer {
        let frames = audio.frameCount
        var mean = [Float](repeating: 0, count: frames)
        for channel in 0..<audio.channelCount {
            audio.withChannel(channel) { plane in
                for frame in 0..<frames { mean[frame] += plane[frame] / Float(audio.channelCount) }
            }
        }
        let mono = AudioBuffer(samples: mean, sampleRate: audio.sampleRate)
        return audio.sampleRate == 44_100 ? mono : try Resampler.resample(mono, to: 44_100)
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private static func residentMegabytes() -> Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (fields.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096 / 1_000_000
    }
}

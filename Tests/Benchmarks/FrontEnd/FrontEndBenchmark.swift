import ArgumentParser
import AudioCore
import Foundation
import TestSupport

/// Prints the engine's costs as ratios within one run: CPU time, best of several rounds.
@main
struct FrontEndBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure analysis, enrolment and lookup relative to yardsticks of the same run")

    @Option(help: "A folder of audio files to enrol and match, instead of synthetic music.")
    var folder: String?

    @Option(help: "The length of the synthetic piece, in seconds.")
    var seconds = 60.0

    @Option(help: "The size of the synthetic catalog, in hours.")
    var hours = 1.0

    @Option(help: "The number of rounds; the least time counts.")
    var repetitions = 7

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    mutating func validate() throws {
        guard seconds >= 6, seconds <= 3600, hours > 0, hours <= 100, repetitions >= 1 else {
            throw ValidationError("expected 6 to 3600 seconds, up to 100 hours, and at least 1 repetition")
        }
    }

    func run() throws {
        var results = Results()
        let audio = Self.stereo(seconds: seconds)
        results.rows += try FrontEndRows.measure(audio, repetitions: repetitions)
        let temporary = try TemporaryFolder()
        results.rows += try EnrolmentRows.measure(audio, folder: temporary.path, repetitions: repetitions)
        results.rows += try EnrolmentRows.measureThreads(temporary.path, repetitions: repetitions)
        if let folder {
            results.rows += try EnrolmentRows.measure(filesIn: folder, repetitions: repetitions)
            results.rows += try LookupRows.measure(filesIn: folder, repetitions: repetitions)
        } else {
            results.rows += try LookupRows.measure(songHours: hours, repetitions: repetitions)
        }
        print(json ? try results.json() : results.table())
    }

    /// Two takes of a song, a little apart.
    private static func stereo(seconds: Double) -> AudioBuffer {
        let song = ScoreSong(seed: 5, seconds: seconds + 1)
        let left = song.render(from: 0, seconds: seconds, sampleRate: 44_100)
        let right = song.render(from: 0.007, seconds: seconds, sampleRate: 44_100)
        return AudioBuffer(samples: left.samples + right.samples, sampleRate: 44_100, channelCount: 2)
    }
}

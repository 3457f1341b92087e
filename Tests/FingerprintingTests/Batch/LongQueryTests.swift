import AudioCore
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// Queries that are searched piece by piece.
struct LongQueryTests {
    /// A piece ends at 1048.6 s.
    @Test(arguments: [300.0, 1029, 1048.5, 1900])
    func aPassageIsFoundWhereverItIs(startSeconds: Double) throws {
        let rate = 8000
        var samples = TestSignals.noise(seed: 5, amplitude: 0.01, seconds: 2000, sampleRate: rate).samples
        let first = Int(startSeconds * Double(rate))
        let song = SongCatalog.songs[2].render(sampleRate: rate).samples
        for (place, sample) in song.enumerated() { samples[first + place] += sample }
        let matches = try SongCatalog.catalog.matchAll(
            query: AudioBuffer(samples: samples, sampleRate: rate))
        let best = try #require(matches.first)
        #expect(best.referenceID == "song 2" && best.isAccepted)
        #expect(abs(best.offsetSeconds + startSeconds) < 0.02)
        #expect(matches.count { $0.isAccepted } == 1)
    }

    /// Needs its own process, because the peak is that of a whole process.
    @Test func memoryHardlyGrowsWithTheQuery() async {
        await #expect(processExitsWith: .success) {
            func kilobytes(_ name: String) throws -> Int {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
                return try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) })
            }
            let folder = try TemporaryFolder()
            let ffmpeg = try ChildProcess.run(
                "ffmpeg",
                [
                    "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i",
                    "anoisesrc=r=8000:d=7200:c=pink:a=0.3:seed=3", folder.file("long.wav"),
                ], timeoutSeconds: 300, maximumOutputBytes: 1000)
            try #require(ffmpeg.end == .exited(0))
            let matcher = BatchMatcher(catalog: SongCatalog.catalog)
            let before = try kilobytes("VmRSS:")
            #expect(matcher.match(folder.file("long.wav")).durationSeconds == 7200)
            // All peaks prepared at once would take 240 MB.
            #expect(try kilobytes("VmHWM:") - before < 130_000)
        }
    }
}

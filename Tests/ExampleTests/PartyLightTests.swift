import Foundation
import TestSupport
import Testing

/// The program follows the song that it plays itself.
@Suite struct PartyLightTests {
    @Test func theProgramNeedsNoRecording() throws {
        let lines = try ExampleProcess("PartyLight", []).finish().split(separator: "\n")
        let beats = lines.compactMap { Int($0.trimmingPrefix("Song 7: beat ")) }
        let first = try #require(beats.first)
        #expect(first <= 3 && beats == Array(first...40), "\(lines)")
    }
}

/// The same aloud.
@Suite(
    .enabled(if: VirtualMicrophone.isAvailable || VirtualMicrophone.isRequired), .timeLimit(.minutes(2)),
    .tags(.timed))
struct PartyLightMicrophoneTests {
    @Test func theProgramHearsItself() throws {
        let lines = try ExampleProcess("PartyLight", ["--aloud"]).finish().split(separator: "\n")
        let beats = lines.compactMap { Int($0.trimmingPrefix("Song 7: beat ")) }
        #expect(beats.count > 25 && beats.last == 39, "\(lines)")
        // A busy machine may skip a beat.
        #expect(zip(beats, beats.dropFirst()).count { $1 == $0 + 1 } > beats.count - 4)
    }
}

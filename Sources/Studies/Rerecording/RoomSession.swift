import AudioCore
import AudioIO
import Foundation
import SignalProcessing
import SoundServer

/// A speaker and a microphone in one room.
final class RoomSession {
    static let sampleRate = PlayedQuery.sampleRate

    /// How late sound may arrive: the microphone's backlog and the latencies of server, speaker and air.
    private static let longestDelaySeconds = Microphone.backlogSeconds + 4
    private static let stepSeconds = 0.25
    /// A microphone that sends nothing for this long is given up.
    private static let longestStallSeconds = 20.0

    private let microphone: Microphone
    private let speaker: Loudspeaker
    private let finder = SweepFinder(sampleRate: sampleRate)

    /// - Parameters:
    ///   - speaker: the name of a sink; nil is the server's default.
    ///   - microphone: the name of a source; nil is the server's default.
    /// - Throws: `MicrophoneError` or `LoudspeakerError` without a server, source or sink.
    init(speaker: String?, microphone: String?) throws {
        self.microphone = try Microphone(
            sampleRate: Self.sampleRate, channelCount: 1, device: microphone, applicationName: "earshot")
        self.speaker = try Loudspeaker(
            sampleRate: Self.sampleRate, device: speaker, applicationName: "earshot")
    }

    /// Plays a query and records it; nil if its sweeps are not heard or samples were lost between them.
    func record(
        _ query: PlayedQuery, _ samples: [Float]
    ) throws -> (passage: PlayedPassage, audio: AudioBuffer)? {
        let rate = Double(Self.sampleRate)
        let least = Int(bounded: query.seconds * rate)
        let most = least + Int(bounded: Self.longestDelaySeconds * rate)
        // The sweep itself, and what arrives between two looks.
        let tail = Int(bounded: (Sweep.seconds + 3 * Self.stepSeconds) * rate)
        var heard: [Float] = []
        try speaker.play(samples)
        while heard.count < most {
            heard += try read(seconds: Self.stepSeconds)
            guard heard.count >= least,
                !finder.places(in: Array(heard.suffix(tail))).isEmpty
            else { continue }
            if let passage = passage(of: query, in: heard) {
                return (passage, AudioBuffer(samples: heard, sampleRate: Self.sampleRate))
            }
        }
        return nil
    }

    private func passage(of query: PlayedQuery, in heard: [Float]) -> PlayedPassage? {
        let times = finder.places(in: heard).map { $0 / Double(Self.sampleRate) }
        return Tape([query], starts: [0]).passages(in: times).first
    }

    /// - Throws: `MicrophoneError` if the recording ends, or nothing arrives for long.
    private func read(seconds: Double) throws -> [Float] {
        let watchdog = Self.watchdog(over: microphone)
        let start = ContinuousClock.now
        defer { watchdog.cancel() }
        do {
            return try microphone.read(frames: Int(bounded: seconds * Double(Self.sampleRate))).samples
        } catch {
            if ContinuousClock.now - start < .seconds(Self.longestStallSeconds) { throw error }
            throw MicrophoneError(
                .interrupted, "the microphone sent nothing for \(Int(bounded: Self.longestStallSeconds)) s")
        }
    }

    /// Closes a microphone that sends nothing, unless it is cancelled before.
    private static func watchdog(over microphone: Microphone) -> DispatchWorkItem {
        let item = DispatchWorkItem { microphone.close() }
        DispatchQueue.global().asyncAfter(deadline: .now() + longestStallSeconds, execute: item)
        return item
    }
}

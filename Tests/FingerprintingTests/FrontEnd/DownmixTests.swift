import AudioCore
import Fingerprinting
import Foundation
import TestSupport
import Testing

/// Several channels: their mean is analysed, and channels that cancel are noticed.
struct DownmixTests {
    private static let song = ScoreSong(seed: 40, seconds: 8)
    private static let whole = song.render().samples
    private static let left = song.render(from: 0, seconds: 3).samples
    private static let right = song.render(from: 4, seconds: 3).samples

    private func signature(_ planes: [[Float]]) throws -> Signature {
        try SignatureExtractor.signature(
            of: AudioBuffer(samples: Array(planes.joined()), sampleRate: 16_000, channelCount: planes.count))
    }

    private func mean(_ planes: [[Float]]) -> [Float] {
        planes[0].indices.map { frame in planes.reduce(0) { $0 + $1[frame] } / Float(planes.count) }
    }

    @Test("Channels give the peaks of their mean", arguments: [1, 2, 4, 8])
    func channelsAreAveraged(count: Int) throws {
        // The mean of a power of two of channels is exact in single precision.
        let planes = (0..<count).map { $0 % 2 == 0 ? Self.left : Self.right }
        let own = try signature(planes)
        #expect(try own.peaks == signature([mean(planes)]).peaks)
        #expect(own.peaks.count > 20)
    }

    @Test("The order of channels does not matter")
    func orderOfChannelsDoesNotMatter() throws {
        #expect(try signature([Self.left, Self.right]) == signature([Self.right, Self.left]))
    }

    @Test("A silent channel halves the level and nothing else")
    func silentChannelsOnlyHalve() throws {
        let silence = [Float](repeating: 0, count: Self.left.count)
        #expect(try signature([Self.left, silence]).peaks == signature([Self.left.map { $0 / 2 }]).peaks)
        #expect(try !signature([Self.left, silence]).channelsCancel)
    }

    /// Of a channel and its copy times −g the mean has (1 − g)²/4 of the power, the channels (1 + g²)/2.
    @Test(
        "Channels cancel where their mean has 20 dB less power than they have",
        arguments: [0.0, 0.5, 0.75, 0.81, 0.825, 0.9, 1, 1.1, 1.215, 1.235, 1.5, 2])
    func cancellingIsTwentyDecibels(factor: Double) throws {
        let inverted = Self.left.map { Float(-factor) * $0 }
        let power = (1 - factor) * (1 - factor) / 4 / ((1 + factor * factor) / 2)
        let cancels = try signature([Self.left, inverted]).channelsCancel
        #expect(cancels == (Decibels.fromPowerRatio(power) < -20), "\(Decibels.fromPowerRatio(power)) dB")
    }

    @Test("Channels whose mean cancels are found by their difference, or by the first of more than two")
    func cancellingChannelsAreFound() throws {
        let reference = try SignatureExtractor.signature(of: Self.song.render())
        let catalog = try Catalog(references: [Reference(id: "song", signature: reference)])
        let half = Self.right.map { -$0 / 2 }
        let other = ScoreSong(seed: 41, seconds: 3).render().samples
        // Of the last two channels the mean is mostly another song, and the difference this one.
        let opposing = [
            zip(Self.right, other).map { $0 + 0.7 * $1 }, zip(Self.right, other).map { -$0 + 0.7 * $1 },
        ]
        for planes in [[Self.right, Self.right.map { -$0 }], [Self.right, half, half], opposing] {
            let audio = AudioBuffer(
                samples: Array(planes.joined()), sampleRate: 16_000, channelCount: planes.count)
            let match = try #require(try catalog.match(query: audio).first)
            #expect(match.isAccepted && abs(match.offsetSeconds - 4) < 0.003)
        }
    }

    /// Left and right of a song whose channels cancel, and the mix of them that can be heard.
    private static let cancelling: [(planes: [[Float]], heard: [Float])] = [
        ([whole, whole.map { -$0 }], whole),
        ([whole] + Array(repeating: whole.map { -$0 / 3 }, count: 3), whole),
    ]

    @Test(
        "The signature of channels that cancel is that of another mix, however blocks are cut",
        arguments: [0, 1])
    func cancellingReferencesAreHeard(place: Int) throws {
        let (planes, heard) = Self.cancelling[place]
        let whole = try signature(planes)
        #expect(try whole.channelsCancel && whole.peaks == signature([heard]).peaks)
        let audio = AudioBuffer(
            samples: Array(planes.joined()), sampleRate: 16_000, channelCount: planes.count)
        for block in [77, 4096, 5000] {
            var extractor = try SignatureExtractor(sampleRate: 16_000, channelCount: planes.count)
            for start in stride(from: 0, to: audio.frameCount, by: block) {
                try extractor.append(audio.frames(start..<min(start + block, audio.frameCount)))
            }
            #expect(try extractor.finish() == whole)
        }
    }

    @Test(
        "Channels that do not cancel by 20 dB give the peaks of their mean", arguments: [-0.8, -0.5, 0, 0.9])
    func otherChannelsAreUnchanged(factor: Float) throws {
        let other = Self.left.map { factor * $0 }
        #expect(try signature([Self.left, other]).peaks == signature([mean([Self.left, other])]).peaks)
    }

    @Test("A stream whose channels cancel is followed as one whose channels do not", arguments: [0, 1])
    func cancellingStreamsAreFollowed(place: Int) throws {
        let (planes, heard) = Self.cancelling[place]
        let catalog = try Catalog(references: [Reference(id: "song", signature: signature([heard]))])
        var found: [[String]] = []
        for planes in [planes, [heard]] {
            var stream = try StreamMatcher(catalog: catalog, sampleRate: 16_000, channelCount: planes.count)
            let events = try stream.append(
                AudioBuffer(samples: Array(planes.joined()), sampleRate: 16_000, channelCount: planes.count))
            found.append(
                events.map { "\($0.kind) \($0.matches.map { $0.offsetSeconds }) \($0.elapsedSeconds)" })
        }
        #expect(found[0] == found[1] && found[0].contains { $0.hasPrefix("found") })
    }

    @Test("A stream whose channels oppose each other is found by their difference, however blocks are cut")
    func opposingStreamsAreFound() throws {
        let song = ScoreSong(seed: 7, seconds: 16).render()
        let other = ScoreSong(seed: 41, seconds: 16).render().samples
        let catalog = try Catalog(
            references: [Reference(id: "song", signature: SignatureExtractor.signature(of: song))])
        // The mean is mostly another song, and the difference this one.
        let planes = [
            zip(song.samples, other).map { $0 + 0.7 * $1 }, zip(song.samples, other).map { -$0 + 0.7 * $1 },
        ]
        let audio = AudioBuffer(
            samples: Array(planes.joined()), sampleRate: song.sampleRate, channelCount: 2)
        var heard: [[String]] = []
        for block in [777, 4096, audio.frameCount] {
            var stream = try StreamMatcher(catalog: catalog, sampleRate: song.sampleRate, channelCount: 2)
            let events = try stride(from: 0, to: audio.frameCount, by: block).flatMap {
                try stream.append(audio.frames($0..<min($0 + block, audio.frameCount)))
            }
            let found = events.filter { $0.kind != .notFound }
            #expect(found.contains { $0.kind == .following })
            #expect(found.allSatisfy { abs($0.matches[0].offsetSeconds - $0.startSeconds) < 0.01 })
            heard.append(events.map { "\($0.kind) \($0.matches.map(\.offsetSeconds)) \($0.elapsedSeconds)" })
        }
        #expect(heard[0] == heard[2] && heard[1] == heard[2])
    }

    @Test("A constant offset neither hides nor feigns channels that cancel")
    func offsetsDoNotCount() throws {
        let lifted = Self.left.map { $0 + 0.5 }
        let sunk = Self.left.map { -$0 + 0.5 }
        #expect(try signature([lifted, sunk]).channelsCancel)
        #expect(try !signature([lifted, Self.left.map { $0 - 0.5 }]).channelsCancel)
    }

    @Test("The first sample that is no finite number is named, wherever blocks are cut", arguments: [1, 3])
    func badSamplesAreNamed(channels: Int) throws {
        for (frame, block) in [(0, 512), (4095, 4096), (4096, 4096), (9999, 7777)] {
            var planes = Array(repeating: [Float](repeating: 0.1, count: 10_000), count: channels)
            planes[channels - 1][frame] = .nan
            let audio = AudioBuffer(
                samples: Array(planes.joined()), sampleRate: 16_000, channelCount: channels)
            let error = #expect(throws: FingerprintingError.self) {
                var extractor = try SignatureExtractor(sampleRate: 16_000, channelCount: channels)
                for start in stride(from: 0, to: 10_000, by: block) {
                    try extractor.append(audio.frames(start..<min(start + block, 10_000)))
                }
                _ = try extractor.finish()
            }
            #expect(error?.code == .nonFiniteSample)
            #expect(error?.description.contains("sample \(frame) of channel \(channels - 1) ") == true)
        }
    }

    @Test("Audio that changes its format on the way is an error that names both formats")
    func changedFormatsAreNamed() throws {
        var extractor = try SignatureExtractor(sampleRate: 16_000, channelCount: 2)
        for (rate, channels) in [(16_000, 1), (44_100, 2)] {
            let error = #expect(throws: FingerprintingError.self) {
                try extractor.append(AudioBuffer(silentFrames: 10, sampleRate: rate, channelCount: channels))
            }
            #expect(error?.code == .unsupportedFormat)
            #expect(
                error?.description.contains("from 2 channels at 16000 Hz to \(channels) at \(rate) Hz")
                    == true)
        }
    }
}

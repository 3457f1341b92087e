import AudioCore

/// Rearranges channels.
///
/// `channels` is one of ``Channels``. Where two channels are needed, any other number is mixed and doubled.
public struct Layout: Degradation {
    /// An arrangement of channels.
    public enum Channels: String, Codable, Hashable, Sendable, CaseIterable {
        /// The mean of all channels.
        case mono
        /// Two channels.
        case stereo
        /// Two channels in reverse order.
        case swapped
        /// All channels with inverted sign.
        case inverted
        /// Two channels, the second with inverted sign, so that the mean nearly vanishes.
        case oneInverted
    }

    /// The name in plans, rows and reports.
    public static let name = "layout"
    /// What a plan may set.
    public static let parameters = [Parameter("channels", .choice(Channels.allCases.map(\.rawValue)))]

    /// The arrangement.
    public var channels: Channels

    /// Makes a rearrangement.
    public init(channels: Channels) { self.channels = channels }

    /// Rearranges the channels; the maps stay.
    public func apply(to clip: inout Clip, material: any Material) throws {
        try prepare(clip)
        let audio = clip.audio
        switch channels {
        case .mono: clip.audio = AudioBuffer(samples: audio.mono(), sampleRate: audio.sampleRate)
        case .stereo: clip.audio = Self.pair(of: audio)
        case .swapped:
            let pair = Self.pair(of: audio)
            clip.audio = AudioBuffer(
                samples: pair.channel(1) + pair.channel(0), sampleRate: audio.sampleRate, channelCount: 2)
        case .inverted: clip.audio.scale(by: -1)
        case .oneInverted:
            let pair = Self.pair(of: audio)
            clip.audio = AudioBuffer(
                samples: pair.channel(0) + pair.channel(1).map { -$0 }, sampleRate: audio.sampleRate,
                channelCount: 2)
        }
    }

    private static func pair(of audio: AudioBuffer) -> AudioBuffer {
        if audio.channelCount == 2 { return audio }
        let mono = audio.mono()
        return AudioBuffer(samples: mono + mono, sampleRate: audio.sampleRate, channelCount: 2)
    }
}

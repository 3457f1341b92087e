import AudioCore

/// Rearranges channels.
///
/// `channels` is one of ``Channels``. Where two channels are needed, any other number is mixed and doubled.
package struct Layout: Degradation {
    package enum Channels: String, Codable, Hashable, Sendable, CaseIterable {
        /// The mean of all channels.
        case mono
        case stereo
        /// Two channels in reverse order.
        case swapped
        /// All channels with inverted sign.
        case inverted
        /// Two channels, the second with inverted sign, so that the mean nearly vanishes.
        case oneInverted
    }

    package static let name = "layout"
    package static let group = ConditionGroup.format
    package static let parameters = [Parameter("channels", .choice(Channels.allCases.map(\.rawValue)))]

    package var channels: Channels

    package init(channels: Channels) { self.channels = channels }

    package func apply(to clip: inout Clip, material: any Material) throws {
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

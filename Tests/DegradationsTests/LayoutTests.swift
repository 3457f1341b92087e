import AudioCore
import Degradations
import TestSupport
import Testing

private let stereo = Tune().recording(seconds: 0.1, sampleRate: 8000, channelCount: 2)

private func arranged(_ channels: Layout.Channels, _ audio: AudioBuffer = stereo) throws -> AudioBuffer {
    var clip = Clip(audio)
    try Layout(channels: channels).apply(to: &clip, material: NoMaterial())
    #expect(clip.timeMap == Clip(audio).timeMap)
    return clip.audio
}

@Test("Each arrangement of two channels")
func arrangements() throws {
    let (left, right) = (stereo.channel(0), stereo.channel(1))
    #expect(try arranged(.mono).samples == stereo.mono())
    #expect(try arranged(.stereo) == stereo)
    #expect(try arranged(.swapped).samples == right + left)
    #expect(try arranged(.inverted).samples == left.map { -$0 } + right.map { -$0 })
    #expect(try arranged(.oneInverted).samples == left + right.map { -$0 })
}

@Test("One channel is doubled for two; with one of them inverted the mean vanishes")
func arrangementsOfOne() throws {
    let mono = AudioBuffer(samples: stereo.channel(0), sampleRate: 8000)
    #expect(try arranged(.stereo, mono).channelCount == 2)
    #expect(try arranged(.mono, mono) == mono)
    let opposed = try arranged(.oneInverted, mono)
    #expect(opposed.channel(0) == mono.samples)
    #expect(opposed.mono().allSatisfy { $0 == 0 })
}

@Test("Swapping twice and inverting twice gives the same samples")
func arrangementsUndone() throws {
    #expect(try arranged(.swapped, arranged(.swapped)) == stereo)
    #expect(try arranged(.inverted, arranged(.inverted)) == stereo)
}

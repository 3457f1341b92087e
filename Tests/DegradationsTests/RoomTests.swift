import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

@Test("The tail has the energy, start and decay", arguments: [0.2, 0.6, 2] as [Double])
func roomResponse(rt60Seconds: Double) {
    let rate = 16_000
    let room = Room(rt60Seconds: rt60Seconds, preDelaySeconds: 0.02, directToReverberantDecibels: 3, seed: 9)
    let response = room.response(sampleRate: rate).map(Double.init)
    #expect(response[0] == 1)
    #expect(response[1..<320].allSatisfy { $0 == 0 })
    let energy = response[320...].reduce(0) { $0 + $1 * $1 }
    #expect(abs(10 * log10(1 / energy) - 3) < 0.01)
    // Schroeder's backward integral falls by 20 dB from −5 to −25 dB in a third of the time for 60 dB.
    var remaining = energy
    var times: [Double] = []
    for (index, value) in response[320...].enumerated() {
        if times.count < 2, 10 * log10(remaining / energy) <= [-5.0, -25][times.count] {
            times.append(Double(index) / Double(rate))
        }
        remaining -= value * value
    }
    #expect(times.count == 2 && abs(3 * (times[1] - times[0]) / rt60Seconds - 1) < 0.1)
}

@Test("The direct path is not delayed in any channel")
func roomTruth() throws {
    let impulse = AudioBuffer(
        samples: (0..<32_000).map { $0 % 16_000 == 4000 ? 0.5 : 0 }, sampleRate: 16_000, channelCount: 2)
    var clip = Clip(impulse, startSeconds: 5)
    let room = Room(rt60Seconds: 0.5, directToReverberantDecibels: 0, seed: 3)
    try room.apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.frameCount == 16_000 && clip.timeMap(0) == 5)
    let response = room.response(sampleRate: 16_000)
    for channel in 0..<2 {
        let wet = clip.audio.channel(channel)
        #expect(wet[..<4000].allSatisfy { abs($0) < 1e-5 })
        #expect((0..<6000).allSatisfy { abs(wet[4000 + $0] - 0.5 * response[$0]) < 1e-5 })
    }
}

@Test("A loud room is scaled, not clipped")
func loudRoom() throws {
    var clip = Clip(TestSignals.noise(seed: 4, amplitude: 0.9, seconds: 1, sampleRate: 8000))
    try Room(rt60Seconds: 1, directToReverberantDecibels: -10, seed: 3).apply(
        to: &clip, material: NoMaterial())
    #expect(abs(clip.audio.peak - 1) < 1e-6)
    #expect((clip.measurements["scaleDecibels"] ?? 0) < 0)
}

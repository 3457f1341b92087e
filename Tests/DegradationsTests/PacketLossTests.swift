import AudioCore
import Degradations
import Foundation
import SignalProcessing
import TestSupport
import Testing

private let rate = 16_000
private let packet = rate / 50

@Test("Packets are lost at the rate and in runs of the length", arguments: [(5, 1), (20, 3), (40, 8)])
func lossAndRuns(percent: Int, burst: Int) throws {
    var clip = Clip(TestSignals.noise(seed: 1, seconds: 400, sampleRate: rate))
    try PacketLoss(lossPercent: Double(percent), burstPackets: Double(burst), concealment: .silence, seed: 6)
        .apply(to: &clip, material: NoMaterial())
    let lost = stride(from: 0, to: clip.audio.frameCount, by: packet).map { start in
        clip.audio.samples[start..<start + packet].allSatisfy { $0 == 0 }
    }
    let share = Double(lost.count(where: { $0 })) / Double(lost.count)
    #expect(clip.measurements["lostFraction"] == share)
    #expect(abs(share - Double(percent) / 100) < 0.2 * Double(percent) / 100)
    let runs = lost.indices.count { lost[$0] && ($0 == 0 || !lost[$0 - 1]) }
    #expect(abs(Double(lost.count(where: { $0 })) / Double(runs) / Double(burst) - 1) < 0.2)
}

@Test(
    "What arrives is bit-identical but for the fade after a gap", arguments: PacketLoss.Concealment.allCases)
func whatArrives(concealment: PacketLoss.Concealment) throws {
    let source = TestSignals.noise(seed: 2, seconds: 20, sampleRate: rate, channelCount: 2)
    func degraded(_ concealment: PacketLoss.Concealment) throws -> [Float] {
        var clip = Clip(source)
        try PacketLoss(lossPercent: 10, concealment: concealment, seed: 7).apply(
            to: &clip, material: NoMaterial())
        return clip.audio.channel(1)
    }
    let (silent, wet, dry) = (try degraded(.silence), try degraded(concealment), source.channel(1))
    let fade = rate * 15 / 4000
    for start in stride(from: 0, to: dry.count, by: packet) where silent[start] != 0 {
        #expect(wet[start + fade..<start + packet] == dry[start + fade..<start + packet])
    }
}

@Test("A tone goes on through lost packets when its period is repeated")
func tonesGoOn() throws {
    let tone = TestSignals.sine(frequency: 200, amplitude: 0.5, seconds: 10, sampleRate: rate)
    func residual(_ concealment: PacketLoss.Concealment) throws -> Double {
        var clip = Clip(tone)
        try PacketLoss(lossPercent: 10, packetSeconds: 0.01, concealment: concealment, seed: 8)
            .apply(to: &clip, material: NoMaterial())
        return residualDecibels(clip.audio.samples, tone.samples, in: rate..<9 * rate)
    }
    #expect(try residual(.silence) > -12)
    #expect(try residual(.pitch) < -20)
}

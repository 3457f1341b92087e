import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

private let tune = Tune()
private let source = tune.recording(seconds: 12, sampleRate: 16_000)

private func render(_ steps: any Degradation..., start: Double = 4, length: Double = 3) throws -> Clip {
    try DegradationChain(steps: steps.map { AnyDegradation($0) })
        .render(source: source, startSeconds: start, lengthSeconds: length, material: FormulaMaterial())
}

@Test(
    "Without steps the excerpt is bit for bit the source, at the nearest frame", arguments: [0, 4.00002, 9])
func plainExcerpt(start: Double) throws {
    for steps in [[], [AnyDegradation(Identity())]] {
        let clip = try DegradationChain(steps: steps)
            .render(source: source, startSeconds: start, lengthSeconds: 2.5, material: NoMaterial())
        let first = Int((start * 16_000).rounded())
        #expect(clip.audio == source.frames(first..<(first + 40_000)))
        #expect(clip.timeMap(0) == Double(first) / 16_000)
        #expect(clip.signalFrames == 0..<40_000)
    }
}

@Test("The query is silent beyond the end of the source")
func beyondTheSource() throws {
    let late = try render(start: 11)
    #expect(late.audio.frameCount == 48_000)
    #expect(late.audio.frames(0..<16_000) == source.frames(176_000..<192_000))
    #expect(late.audio.frames(16_000..<48_000).peak == 0)
    let early = try render(Speed(percent: 2), start: -1)
    #expect(early.audio.frameCount == 48_000)
    #expect(early.audio.frames(0..<15_000).peak < 1e-3)
    #expect(abs(early.timeMap(0) + 1) < 1 / 32_000)
}

@Test(
    "An onset just after the start of a query is as near to the truth as later ones",
    arguments: [
        AnyDegradation(Pitch(percent: 5)), AnyDegradation(Pitch(percent: -5)),
        AnyDegradation(Tempo(percent: 5)), AnyDegradation(Tempo(percent: -5)),
        AnyDegradation(Speed(percent: 5)),
    ])
func earlyOnset(step: AnyDegradation) throws {
    let music = TestSignals.clicksAndTones(
        onsetSeconds: [1.4, 2.02, 2.7, 3.3], seconds: 6, sampleRate: 44_100)
    let clip = try DegradationChain(steps: [step])
        .render(source: music, startSeconds: 2, lengthSeconds: 1.6, material: NoMaterial())
    let truth = TestSignals.onsets(in: music, threshold: 0.25).dropFirst()
    let found = TestSignals.onsets(in: clip.audio, threshold: 0.25).map { clip.timeMap($0) }
    try #require(found.count == truth.count, "\(found)")
    for (time, wanted) in zip(found, truth) { #expect(abs(time - wanted) < 0.002, "\(time) s") }
}

@Test("Chains that change time have the exact length, start and truth")
func composedTruth() throws {
    let chains: [[any Degradation]] = [
        [Speed(percent: 5)],
        [Speed(percent: -5), Speed(numerator: 3, denominator: 4)],
        [Drift(fromPercent: 3, toPercent: -2), Speed(percent: 4.4321)],
        [Wow(depthPercent: 1, rateHertz: 2, phaseTurns: 0.3), Drift(fromPercent: 0, toPercent: 2)],
        [
            Gain(decibels: 0), Resample(sampleRateHertz: 22_050), Speed(percent: 3),
            Resample(sampleRateHertz: 12_000),
        ],
    ]
    for chain in chains {
        let steps = chain.map { AnyDegradation($0) }
        let clip = try DegradationChain(steps: steps)
            .render(source: source, startSeconds: 4.123, lengthSeconds: 3, material: NoMaterial())
        let rate = clip.audio.sampleRate
        #expect(clip.audio.frameCount == 3 * rate)
        // The start is within half a sample of the wanted start, at each of the rates.
        #expect(abs(clip.timeMap(0) - 4.123) < 0.6 / 12_000)
        // The waveform must agree with the composition of the steps.
        let expected = tune.rendered(through: clip)
        let residual = residualDecibels(clip.audio.samples, expected, in: 100..<(expected.count - 100))
        #expect(residual < -60, "\(steps.map(\.name)): \(residual) dB")
    }
}

@Test("Speed and the inverse speed give the excerpt")
func speedUndone() throws {
    let clip = try render(Speed(numerator: 21, denominator: 20), Speed(numerator: 20, denominator: 21))
    let fit = clip.timeMap.leastSquares(over: 0...3)
    #expect(abs(fit.slope - 1) < 1e-12)
    #expect(abs(clip.frequencyMap.leastSquares(over: 0...3).slope - 1) < 1e-12)
    #expect(residualDecibels(clip.audio.samples, tune.rendered(through: clip), in: 100..<47_900) < -60)
}

@Test("Pitch and tempo compose with speed in the maps")
func skewsCompose() throws {
    let clip = try render(Tempo(percent: 4), Speed(percent: -2), Pitch(percent: 3))
    let end = clip.audio.durationSeconds
    #expect(abs(clip.timeMap.leastSquares(over: 0...end).slope - 1.04 * 0.98) < 1e-9)
    #expect(abs(clip.frequencyMap.leastSquares(over: 0...end).slope - 0.98 * 1.03) < 1e-9)
}

@Test("Steps after a change of time get the cut query, whose SNR they set")
func stepsAfterTheCut() throws {
    let steps: [any Degradation] = [
        Speed(percent: 5), Noise(colour: .pink, snrDecibels: -3, seed: 1),
        Silence(leadingSeconds: 0.5, trailingSeconds: 0.25), Resample(sampleRateHertz: 8000),
    ]
    let clip = try DegradationChain(steps: steps.map { AnyDegradation($0) })
        .render(source: source, startSeconds: 4, lengthSeconds: 3, material: NoMaterial())
    #expect(clip.audio.frameCount == 30_000)
    #expect(clip.signalFrames == 4000..<28_000)
    #expect(abs(clip.timeMap(0.5) - 4) < 1 / 16_000)
    #expect(abs(clip.timeMap(0) - (4 - 0.525)) < 1 / 16_000)
    #expect(abs((clip.measurements["snrDecibels"] ?? 0) + 3) < 0.01)
}

@Test("A chain states the length of source that it needs")
func neededSource() {
    func needed(_ steps: any Degradation...) -> Double {
        DegradationChain(steps: steps.map { AnyDegradation($0) }).sourceSeconds(forSeconds: 10)
    }
    #expect(needed() == 10)
    #expect(needed(Noise(colour: .white, snrDecibels: 0, seed: 1)) == 10)
    #expect(abs(needed(Speed(percent: 5)) - 12.5) < 1e-12)
    #expect(abs(needed(Tempo(percent: 10), Drift(fromPercent: 0, toPercent: 4)) - (11 * 1.02 + 2)) < 1e-12)
    #expect(needed(Pitch(percent: 5)) == 12)
}

@Test("A chain round-trips through JSON, and may not move the ends before it changes time")
func chainValidity() throws {
    let chain = DegradationChain(steps: Examples.all)
    #expect(try JSONDecoder().decode(DegradationChain.self, from: JSONEncoder().encode(chain)) == chain)
    #expect(throws: DegradationError.self) {
        try render(Silence(leadingSeconds: 1), Speed(percent: 1))
    }
    #expect(throws: DegradationError.self) { try render(Truncate(keepSeconds: 1), Pitch(percent: 1)) }
}

@Test(
    "Impossible cuts are refused",
    arguments: [(0, 0), (0, -1), (0, .nan), (.infinity, 1), (.nan, 1), (0, 1e12), (0, .infinity)])
func impossibleCut(start: Double, length: Double) {
    #expect(throws: DegradationError.self) { try render(start: start, length: length) }
    #expect(throws: DegradationError.self) {
        try DegradationChain().render(
            source: AudioBuffer(samples: [], sampleRate: 8000), startSeconds: 0, lengthSeconds: 1,
            material: NoMaterial())
    }
}

@Test("Rendering on many threads gives the same bits as on one")
func renderedInParallel() async throws {
    let chains = Examples.all.filter { !type(of: $0.value).movesEnds }
        .map {
            DegradationChain(steps: [AnyDegradation(Noise(colour: .brown, snrDecibels: 6, seed: 8)), $0])
        }
    func render(_ chain: DegradationChain) throws -> AudioBuffer {
        try chain.render(source: source, startSeconds: 2, lengthSeconds: 1, material: FormulaMaterial()).audio
    }
    let alone = try chains.map(render)
    let together = try await withThrowingTaskGroup(of: (Int, AudioBuffer).self) { group in
        for (index, chain) in chains.enumerated() { group.addTask { (index, try render(chain)) } }
        return try await group.reduce(into: [Int: AudioBuffer]()) { $0[$1.0] = $1.1 }
    }
    for index in chains.indices { #expect(together[index] == alone[index]) }
}

@Test("Samples that are not finite are refused only within the query")
func damagedSource() throws {
    var samples = [Float](repeating: 0.1, count: 16_000)
    samples[9000] = .nan
    let damaged = AudioBuffer(samples: samples, sampleRate: 8000)
    let chain = DegradationChain()
    #expect(throws: DegradationError.self) {
        try chain.render(source: damaged, startSeconds: 1, lengthSeconds: 0.5, material: NoMaterial())
    }
    let sound = try chain.render(source: damaged, startSeconds: 0, lengthSeconds: 1, material: NoMaterial())
    #expect(sound.audio.frameCount == 8000)
}

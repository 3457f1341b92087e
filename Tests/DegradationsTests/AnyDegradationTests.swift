import AudioCore
import Degradations
import Foundation
import TestSupport
import Testing

@Test("The examples cover every kind except those that need a file or a program")
func examplesAreComplete() {
    let names = Set(Examples.all.map(\.name))
    #expect(names == Set(AnyDegradation.kinds.map { $0.name }).subtracting(["impulseResponse", "program"]))
    #expect(AnyDegradation.kinds.count == Set(AnyDegradation.kinds.map { $0.name }).count)
}

@Test("A degradation is coded as its name and parameters, and decodes as equal", arguments: Examples.all)
func codedAndBack(degradation: AnyDegradation) throws {
    let data = try JSONEncoder().encode(degradation)
    let back = try JSONDecoder().decode(AnyDegradation.self, from: data)
    #expect(back == degradation)
    #expect(back.hashValue == degradation.hashValue)
    guard case .object(let coded) = try JSONDecoder().decode(PlainValue.self, from: data),
        case .object(let values)? = coded[degradation.name]
    else {
        Issue.record("not a mapping from the name to the parameters")
        return
    }
    let known = type(of: degradation.value).parameters.map(\.name)
    #expect(values.keys.allSatisfy { known.contains($0) })
    // A plan accepts the coded form.
    var generator = SeededGenerator(seed: 1)
    let template = try DegradationTemplate(name: degradation.name, parameters: .object(values))
    #expect(try template.draw(using: &generator) == degradation)
}

@Test(
    "Coded nonsense is refused",
    arguments: [
        #"{"hiss": {}}"#, #"{}"#, #"{"gain": {"decibels": 1}, "identity": {}}"#,
        #"{"gain": {"decibels": 1000}}"#,
        #"{"gain": {}}"#, #"{"speed": {"percent": 500}}"#, #"[]"#,
    ])
func codedNonsense(text: String) {
    #expect(throws: (any Error).self) {
        try JSONDecoder().decode(AnyDegradation.self, from: Data(text.utf8))
    }
}

@Test("Applying twice gives the same samples, truth and measurements", arguments: Examples.all)
func appliedTwice(degradation: AnyDegradation) throws {
    let source = Tune().recording(seconds: 1.5, sampleRate: 16_000, channelCount: 2)
    var first = Clip(source, startSeconds: 3)
    var second = first
    try degradation.value.apply(to: &first, material: FormulaMaterial())
    try degradation.value.apply(to: &second, material: FormulaMaterial())
    #expect(first.audio == second.audio)
    #expect(first.timeMap == second.timeMap)
    #expect(first.frequencyMap == second.frequencyMap)
    #expect(first.measurements == second.measurements)
    #expect(first.signalFrames == second.signalFrames)
    #expect(first.signalFrames.upperBound <= first.audio.frameCount && !first.signalFrames.isEmpty)
    #expect(first.audio.samples.allSatisfy { $0.isFinite })
}

@Test("Only the identity does not change the samples", arguments: Examples.all)
func changesSomething(degradation: AnyDegradation) throws {
    var clip = Clip(Tune().recording(seconds: 1.5, sampleRate: 16_000, channelCount: 2))
    let before = clip.audio
    try degradation.value.apply(to: &clip, material: FormulaMaterial())
    let isUnchanged = clip.audio == before
    let keeps = degradation.value is Identity || degradation == AnyDegradation(Layout(channels: .stereo))
    #expect(isUnchanged == keeps)
}

@Test("Empty audio and samples that are not finite are errors", arguments: Examples.all)
func unsuitableAudio(degradation: AnyDegradation) {
    var samples = [Float](repeating: 0.1, count: 1000)
    samples[600] = .nan
    var infinite = samples
    infinite[600] = -.infinity
    for bad in [[], samples, infinite] {
        var clip = Clip(AudioBuffer(samples: bad, sampleRate: 8000))
        #expect(throws: DegradationError.self) {
            try degradation.value.apply(to: &clip, material: FormulaMaterial())
        }
    }
}

@Test(
    "Very short and silent audio is degraded or refused, never a crash", arguments: Examples.all, [1, 2, 80])
func tinyAudio(degradation: AnyDegradation, frames: Int) {
    for level in [0, 0.5] as [Float] {
        for sampleRate in [1, 8000, 44_100, 1_000_000] {
            var clip = Clip(
                AudioBuffer(
                    samples: (0..<frames).map { $0.isMultiple(of: 2) ? level : -level },
                    sampleRate: sampleRate))
            do {
                try degradation.value.apply(to: &clip, material: FormulaMaterial())
                #expect(clip.audio.samples.allSatisfy { $0.isFinite })
                #expect(clip.signalFrames.upperBound <= clip.audio.frameCount)
            } catch {
                #expect(error is DegradationError)
            }
        }
    }
}

@Test("Validation refuses parameters out of range")
func outOfRange() {
    let bad: [any Degradation] = [
        Noise(colour: .white, snrDecibels: .nan, seed: 1), Noise(colour: .white, snrDecibels: 500, seed: 1),
        Babble(voices: 0, snrDecibels: 0, seed: 1), Ambience(snrDecibels: 0, seed: .max),
        Speed(numerator: 5, denominator: 1), Speed(numerator: 1, denominator: 0), Speed(percent: 101),
        Speed(percent: .nan), Speed(percent: .infinity), Tempo(percent: -100),
        Resample(sampleRateHertz: 0), Band(lowHertz: 10, highHertz: 5),
        Echo(delaySeconds: -1, gainDecibels: 0),
    ]
    for degradation in bad {
        var clip = Clip(Tune().recording(seconds: 0.1, sampleRate: 8000))
        #expect(throws: DegradationError.self) { try degradation.validate() }
        #expect(throws: DegradationError.self) {
            try degradation.apply(to: &clip, material: FormulaMaterial())
        }
    }
}

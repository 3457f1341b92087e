import Degradations
import Testing

@Test(
    "Tempo puts onsets within 2 ms of the truth", arguments: [-5, -1, 0.5, 5] as [Double],
    [8000, 22_050, 48_000])
func tempoTruth(percent: Double, sampleRate: Int) throws {
    for error in try onsetErrors(Tempo(percent: percent), sampleRate: sampleRate) {
        #expect(abs(error) < 0.002, "\(error) s")
    }
}

@Test(
    "Tempo puts clicks within 1 ms of the truth, and their median within 0.2 ms",
    arguments: [-5, -4, -3, -2, -1, -0.3, 0.3, 1, 2, 3, 4, 5] as [Double], [11_025, 44_100, 48_000])
func tempoDelay(percent: Double, sampleRate: Int) throws {
    let errors = try clickErrors([Tempo(percent: percent)], sampleRate: sampleRate).sorted()
    #expect(errors.allSatisfy { abs($0) < 0.001 }, "\(errors)")
    #expect(abs(errors[12]) < 0.0002, "\(errors[12])")
}

@Test("Tempo keeps frequencies within 0.02 %", arguments: [-5, 0.5, 5] as [Double])
func tempoFrequency(percent: Double) throws {
    let tempo = Tempo(percent: percent)
    let ratio = try frequencyRatio(tempo)
    #expect(abs(ratio.truth - 1) < 1e-9)
    #expect(abs(ratio.measured - 1) < 0.0002, "\(ratio.measured)")
    #expect(tempo.sourceSecondsPerSecond == 1 + percent / 100)
}

import AudioCore
import AudioIO
import Degradations
import SignalProcessing
import TestSupport
import Testing

private let rates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 37_800, 44_100, 48_000, 88_200, 96_000, 176_400,
    192_000,
]

private let tune = Tune(seed: 9, voiceCount: 6, highest: 2500)

/// One second of a tune for each rate, because delays are measured with noise.
private let recordings = Dictionary(
    uniqueKeysWithValues: rates.map { ($0, tune.recording(seconds: 1, sampleRate: $0, channelCount: 2)) })

private func music(sampleRate: Int, channelCount: Int) throws -> Clip {
    let stereo = try #require(recordings[sampleRate])
    return Clip(channelCount == 2 ? stereo : AudioBuffer(samples: stereo.channel(0), sampleRate: sampleRate))
}

@Test(
    "Every encoding at every rate keeps the truth within 0.5 ms, or is not offered",
    arguments: AudioEncoding.all.filter { $0.absence == nil })
func formatTruth(encoding: AudioEncoding) throws {
    var offered = 0
    for rate in rates {
        var clip = try music(sampleRate: rate, channelCount: rate == 44_100 ? 2 : 1)
        do {
            try Format(encoding: encoding.name, exactRate: true).apply(to: &clip, material: NoMaterial())
        } catch let error as DegradationError where error.code == .notOffered {
            continue
        }
        offered += 1
        let expected = tune.rendered(through: clip)
        let found = CrossCorrelation.bestLag(
            of: clip.audio.channel(0), in: expected, maxLag: clip.audio.sampleRate / 20)
        let milliseconds = 1000 * found.lag / Double(clip.audio.sampleRate)
        #expect(abs(milliseconds) < 0.5, "\(encoding) at \(rate) Hz: \(milliseconds) ms")
        #expect(found.coefficient > 0.5, "\(encoding) at \(rate) Hz: \(found.coefficient)")
        #expect(clip.measurements["codecDelaySeconds"] != nil)
        #expect(clip.audio.durationSeconds > 0.95)
    }
    #expect(offered >= 1)
}

@Test("A rate that a codec does not accept is not offered")
func notOffered() throws {
    func isOffered(_ encoding: String, _ rate: Int) throws -> Bool {
        var clip = try music(sampleRate: rate, channelCount: 1)
        do {
            try Format(encoding: encoding, exactRate: true).apply(to: &clip, material: NoMaterial())
            return true
        } catch let error as DegradationError where error.code == .notOffered {
            return false
        }
    }
    for rate in rates {
        #expect(try isOffered("wav-pcm16", rate))
        #expect(try isOffered("ogg-opus-64k", rate) == [8000, 12_000, 16_000, 24_000, 48_000].contains(rate))
        if [37_800, 88_200, 96_000, 176_400, 192_000].contains(rate) {
            #expect(try !isOffered("mp3-64k", rate))
        }
    }
}

@Test("Without an exact rate the nearest one is used, if one is near")
func nearestRate() throws {
    var clip = try music(sampleRate: 44_100, channelCount: 1)
    try Format(encoding: "ogg-opus-64k").apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.sampleRate == 48_000)
    var far = try music(sampleRate: 37_800, channelCount: 1)
    let error = #expect(throws: DegradationError.self) {
        try Format(encoding: "mp3-64k").apply(to: &far, material: NoMaterial())
    }
    #expect(error?.code == .notOffered)
}

@Test("A call resamples to the rate of its codec", arguments: ["wav-gsm610", "au-g721"])
func rateOfCalls(encoding: String) throws {
    for rate in rates {
        var clip = try music(sampleRate: rate, channelCount: 1)
        try Format(encoding: encoding).apply(to: &clip, material: NoMaterial())
        #expect(clip.audio.sampleRate == 8000)
    }
}

@Test("Float is bit-identical; 16 bits are within half a step and have no delay")
func losslessFormats() throws {
    let before = try music(sampleRate: 16_000, channelCount: 2)
    var exact = before
    try Format(encoding: "wav-float").apply(to: &exact, material: NoMaterial())
    #expect(exact.audio == before.audio && exact.timeMap == before.timeMap)
    for name in ["wav-pcm16", "flac-16", "caf-alac16"] {
        var clip = before
        try Format(encoding: name).apply(to: &clip, material: NoMaterial())
        #expect(clip.audio.frameCount == before.audio.frameCount)
        #expect(clip.measurements["codecDelaySeconds"] == 0)
        #expect(zip(clip.audio.samples, before.audio.samples).allSatisfy { abs($0 - $1) < 1.01 / 32_768 })
    }
}

@Test("A peak above full scale is scaled, not clipped")
func loudIntoIntegers() throws {
    var clip = try music(sampleRate: 16_000, channelCount: 1)
    try Gain(decibels: 12).apply(to: &clip, material: NoMaterial())
    let before = clip.audio
    #expect(before.peak > 1)
    try Format(encoding: "wav-pcm16").apply(to: &clip, material: NoMaterial())
    let scale = 1 / before.peak
    #expect(zip(clip.audio.samples, before.samples).allSatisfy { abs($0 - scale * $1) < 1e-4 })
}

@Test("A codec of one channel gets the mean")
func monoCodec() throws {
    var clip = try music(sampleRate: 8000, channelCount: 2)
    try Format(encoding: "wav-gsm610").apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.channelCount == 1)
}

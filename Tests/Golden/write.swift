// Writes a catalog and signatures of music by a formula into the folder that the argument names. The folder's README says when.
import AudioCore
import Fingerprinting

var settings = Settings()
settings.analysis.lowestHertz = 200
settings.analysis.highestHertz = 3000
settings.index.widestOctaves = 0.3
settings.index.ratioStepBins = 10
settings.index.finestRatioOctaves = 0.04
settings.index.coarsestRatioOctaves = 0.04

/// Two voices of notes that fade, 16 a second, from 220 Hz to 2,600 Hz, of several levels.
///
/// Song 2 rests for three seconds.
func song(_ number: UInt64) -> AudioBuffer {
    let rate = 8000
    var samples = [Float](repeating: 0, count: 10 * rate)
    var state = 2 * number + 1
    for note in 0..<320 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        if number == 2, (100..<200).contains(note) { continue }
        let hertz = (0..<state >> 33 % 24).reduce(220) { hertz, _ in 1.113 * hertz }
        let step = 2 * Double.pi * hertz / Double(rate)
        // A sine by its recurrence, so that nothing but sums and products makes the samples.
        let square = step * step
        let c = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        var (last, value) = (0.0, 0.02 * Double(1 + state >> 40 % 8))
        let start = note / 2 * rate / 16
        for place in start..<min(start + rate / 6, samples.count) {
            samples[place] += Float(value)
            (last, value) = (0.998 * value, 0.998 * (2 * c * value - last))
        }
    }
    return AudioBuffer(samples: samples, sampleRate: rate)
}

let item = MediaItem([
    .init("title", .string("Étude № 3")), .init("year", .integer(-1999)), .init("gain", .number(0.1)),
    .init("live", .bool(true)), .init("released", .date(1.5e9)), .init("cover", .data([0, 255, 7])),
    .init("genres", .list([.string("a"), .list([.integer(1), .bool(false)]), .data([])])),
    .init("mean", .single(0.5)), .init("webURL", .url("https://example.org/3")),
    .init("credits", .dictionary([.init("piano", .string("b"))])),
    .init("timeRanges", .list([.range(1, 2.5)])), .init("singles", .singleRange(0, 1)),
    .init("whole", .integerRange(-3, 4)), .init("creationDate", .instant(7e8)),
])

let folder = CommandLine.arguments[1]
let references = try (0..<3).map { number in
    Reference(
        id: "song \(number)", mediaItem: item,
        signature: try SignatureExtractor.signature(of: song(UInt64(number)), settings: settings))
}
try CatalogFile.write(references, to: folder + "/catalog.earcatalog", settings: settings)
try references[1].signature.write(to: folder + "/reference.earsignature")
let whole = song(1)
let part = AudioBuffer(samples: Array(whole.samples[16_000..<64_000]), sampleRate: whole.sampleRate)
try SignatureExtractor.signature(of: part, settings: settings, detail: .query).write(
    to: folder + "/query.earsignature")
try SignatureExtractor.signature(of: whole).write(to: folder + "/standard.earsignature")

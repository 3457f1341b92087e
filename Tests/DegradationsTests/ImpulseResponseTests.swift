import AudioCore
import AudioIO
import Degradations
import Foundation
import TestSupport
import Testing

/// Writes a response with a direct path of 0.5 at `direct` and a later, louder reflection.
private func writeResponse(to path: String, direct: Int, sampleRate: Int = 16_000) throws {
    var samples = [Float](repeating: 0, count: 4000)
    samples[direct - 2] = 0.1
    samples[direct] = -0.5
    samples[direct + 800] = 0.9
    let encoding = try #require(AudioEncoding("wav-float"))
    try AudioFile.write(AudioBuffer(samples: samples, sampleRate: sampleRate), to: path, as: encoding)
}

@Test("The direct path moves to time 0 and magnitude 1, even if a reflection is louder")
func fileResponse() throws {
    let folder = try TemporaryFolder()
    try writeResponse(to: folder.file("hall.wav"), direct: 1234)
    var clip = Clip(
        AudioBuffer(samples: (0..<16_000).map { $0 == 5000 ? 0.25 : 0 }, sampleRate: 16_000), startSeconds: 8)
    try ImpulseResponse(path: folder.file("hall.wav")).apply(to: &clip, material: NoMaterial())
    #expect(clip.audio.frameCount == 16_000 && clip.timeMap(0) == 8)
    let wet = clip.audio.samples
    #expect(abs(wet[5000] + 0.25) < 1e-5)
    #expect(abs(wet[4998] - 0.05) < 1e-5)
    #expect(abs(wet[5800] - 0.45) < 1e-5)
    #expect(abs(wet[5001]) < 1e-5)
}

@Test("A response at another rate is resampled, with the direct path within a sample")
func resampledResponse() throws {
    let folder = try TemporaryFolder()
    try writeResponse(to: folder.file("hall.wav"), direct: 1500, sampleRate: 48_000)
    var clip = Clip(AudioBuffer(samples: (0..<16_000).map { $0 == 5000 ? 0.5 : 0 }, sampleRate: 16_000))
    try ImpulseResponse(path: folder.file("hall.wav")).apply(to: &clip, material: NoMaterial())
    let wet = clip.audio.samples
    let strongest = (4900..<5100).max { abs(wet[$0]) < abs(wet[$1]) }
    #expect(strongest == 5000)
}

@Test("A silent file is an error of the degradation that names it; a missing one may be back later")
func badResponse() throws {
    let folder = try TemporaryFolder()
    let encoding = try #require(AudioEncoding("wav-pcm16"))
    try AudioFile.write(
        AudioBuffer(silentFrames: 100, sampleRate: 8000), to: folder.file("silent.wav"), as: encoding)
    func apply(_ name: String) throws {
        var clip = Clip(Tune().recording(seconds: 0.1, sampleRate: 8000))
        try ImpulseResponse(path: folder.file(name)).apply(to: &clip, material: NoMaterial())
    }
    let silent = #expect(throws: DegradationError.self) { try apply("silent.wav") }
    #expect(silent?.code == .invalidParameter && silent?.description.contains("silent.wav") == true)
    let missing = #expect(throws: AudioFileError.self) { try apply("none.wav") }
    #expect(missing?.code == .missing && missing?.description.contains("none.wav") == true)
}

@Test("A degradation names the files it reads")
func filesAreNamed() throws {
    #expect(ImpulseResponse(path: "hall.wav").files == ["hall.wav"])
    for example in Examples.all { #expect(example.value.files.isEmpty, "\(example.name)") }
    let texts = AnyDegradation.kinds.flatMap { kind in kind.parameters.map { (kind.name, $0) } }
        .filter { $0.1.kind == .text }.map { "\($0.0) \($0.1.name)" }
    #expect(
        texts == ["format encoding", "program name", "program version"],
        "A parameter that is a path is of kind `file`.")
}

import AudioCore
import Foundation
import SystemIO

/// Plays scores with sound fonts, through the program fluidsynth.
struct ScoreRenderer: Sendable {
    static let program = "fluidsynth"
    static let sampleRate = 44_100
    private static let channelCount = 2
    private static let peak: Float = 0.85
    private static let timeoutSeconds = 600.0
    /// What an edit keeps and then leaves out, again and again, so that a query of 10 s holds a join.
    private static let (keptSeconds, cutSeconds) = (6.0, 2.0)
    private static let loopSeconds = 4.0

    let recipe: CorpusRecipe.Renditions
    let library: CorpusLibrary

    /// A recording of a piece, rounded to 16 bits.
    ///
    /// - Throws: ``CorpusError``: `unavailable` without fluidsynth, `unreadable` for a score that cannot be played.
    func audio(of place: RenditionPlace) throws -> AudioBuffer {
        let path = "\(library.folder(ofPackage: place.package))/\(place.file)"
        guard let entry = try ScoreFile(path: path).entries.first(where: { $0.name == place.entry }) else {
            throw CorpusError(.unreadable, "\(path) holds no score \(place.entry)")
        }
        let score = try MIDIFile.score(entry.bytes, name: place.piece).beginning(seconds: recipe.seconds)
        guard let half = recipe.halves[place.half] else {
            throw CorpusError(.unreadable, "\(place): the recipe has no \(place.half.rawValue) half")
        }
        var generator = SeededGenerator(seed: 1, "rendition", place.piece, place.rendition.rawValue)
        func played(_ score: Score, with font: CorpusRecipe.Renditions.Font) throws -> AudioBuffer {
            let seconds = min(recipe.seconds, score.seconds)
            return try play(score, seconds: seconds, with: font, name: place.id)
        }
        switch place.rendition {
        case .reference: return try played(score, with: half.font)
        case .edit: return Self.edited(try played(score, with: half.font))
        case .mix: return try played(score.mixedAgain(using: &generator), with: half.font)
        case .take: return try played(score.playedAgain(using: &generator), with: half.font)
        case .tempoAndKey: return try played(score.inOtherTempoAndKey(using: &generator), with: half.font)
        case .sounds: return try played(score, with: half.otherFont)
        case .loop:
            let loop = score.looped(length: Self.loopSeconds, total: recipe.seconds)
            let music = SyntheticMusic(
                seed: StableHash.of("music over a loop", place.piece), seconds: recipe.seconds)
            return Self.mixed(
                try play(loop, seconds: recipe.seconds, with: half.font, name: place.id), music.render())
        }
    }

    /// The version of fluidsynth.
    ///
    /// - Throws: ``CorpusError`` with code `unavailable` if it cannot be run.
    static func version() throws -> String {
        let text = String(decoding: try run(["--version"]).output, as: UTF8.self)
        return text.firstMatch(of: /[0-9]+(\.[0-9]+)+/).map { String($0.output.0) } ?? "unknown"
    }

    private func play(
        _ score: Score, seconds: Double, with font: CorpusRecipe.Renditions.Font, name: String
    ) throws -> AudioBuffer {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("earshot-score-\(UUID().uuidString)")
            .path
        try FileTree.createFolder(folder)
        defer { FileTree.remove(folder) }
        let (midi, sound) = ("\(folder)/score.mid", "\(folder)/sound.raw")
        try AtomicFile.write(MIDIFile.bytes(of: score), to: midi)
        // One core and no file of settings, so that samples are the same everywhere.
        let child = try Self.run([
            "-f", "/dev/null", "-q", "-n", "-i", "-o", "synth.cpu-cores=1", "-o",
            "synth.dynamic-sample-loading=1", "-r", "\(Self.sampleRate)", "-g", "0.2", "-O", "float", "-E",
            "little", "-T", "raw", "-F", sound, "\(library.folder(ofPackage: font.package))/\(font.file)",
            midi,
        ])
        let frames = Int(bounded: (seconds * Double(Self.sampleRate)).rounded())
        guard child.end == .exited(0), let data = files.contents(atPath: sound), !data.isEmpty else {
            throw CorpusError(
                .unreadable, "\(Self.program) cannot play \(name): \(child.complaint.suffix(300))")
        }
        var interleaved = data.withUnsafeBytes { bytes in
            (0..<min(frames * Self.channelCount, bytes.count / 4)).map { index in
                Float(
                    bitPattern: UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
            }
        }
        interleaved += [Float](repeating: 0, count: frames * Self.channelCount - interleaved.count)
        let audio = interleaved.withUnsafeBufferPointer {
            AudioBuffer(interleaved: $0, sampleRate: Self.sampleRate, channelCount: Self.channelCount)
        }
        guard audio.samples.contains(where: { abs($0) > 1e-4 }) else {
            throw CorpusError(.unreadable, "\(name) is silent")
        }
        return Self.finished(audio)
    }

    private static func run(_ arguments: [String]) throws -> ChildProcess {
        do {
            let child = try ChildProcess.run(
                program, arguments, timeoutSeconds: timeoutSeconds, maximumOutputBytes: 1 << 20)
            if ![.exited(126), .exited(127)].contains(child.end) { return child }
        } catch {}
        throw CorpusError(
            .unavailable, "\(program) cannot be run. Install the Debian package \(program)")
    }

    private static func finished(_ audio: AudioBuffer) -> AudioBuffer {
        let loudest = max(1e-9, audio.peak)
        let scale = peak / loudest * 32768
        return AudioBuffer(
            samples: audio.samples.map { ($0 * scale).rounded() / 32768 }, sampleRate: audio.sampleRate,
            channelCount: audio.channelCount)
    }

    private static func edited(_ audio: AudioBuffer) -> AudioBuffer {
        let kept = Int(bounded: keptSeconds * Double(sampleRate))
        let step = kept + Int(bounded: cutSeconds * Double(sampleRate))
        let planes = (0..<audio.channelCount).flatMap { channel in
            audio.channel(channel).enumerated().filter { $0.offset % step < kept }.map(\.element)
        }
        return AudioBuffer(
            samples: planes, sampleRate: audio.sampleRate, channelCount: audio.channelCount)
    }

    /// The sum of both at equal power.
    private static func mixed(_ loop: AudioBuffer, _ music: AudioBuffer) -> AudioBuffer {
        func power(_ audio: AudioBuffer) -> Float {
            Float(audio.samples.reduce(0.0) { $0 + Double($1) * Double($1) })
        }
        let gain = (power(loop) / max(1e-9, power(music))).squareRoot()
        return finished(
            AudioBuffer(
                samples: zip(loop.samples, music.samples).map { $0 + gain * $1 },
                sampleRate: loop.sampleRate, channelCount: loop.channelCount))
    }
}

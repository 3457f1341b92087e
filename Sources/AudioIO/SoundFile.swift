internal import CSndfile

/// A file that libsndfile reads, in this process or in one of its own.
final class SoundFile: SampleSource {
    private(set) var damage: AudioDamage?
    private let known: AudioDamage?

    private let name: String
    private let units: any SoundUnits
    private let promises: Bool
    private var framesRead = 0
    private var unit = SoundUnit()
    private var isAtEnd = false

    /// Opens what `place` says of a file; errors call it `name`.
    ///
    /// - Parameters:
    ///   - sandbox: Where it is decoded; nil for this process.
    ///   - promises: Whether fewer frames than the file states are damage.
    ///   - damage: What is known to be damaged.
    init(
        _ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox?, promises: Bool, name: String,
        damage: AudioDamage? = nil
    ) throws {
        if let sandbox {
            units = try SandboxedSound(place, of: file, in: sandbox, name: name)
        } else {
            units = try LibrarySound(place, of: file, name: name)
        }
        self.promises = promises
        known = damage
        self.name = name
    }

    var sampleRate: Int { units.facts.sampleRate }
    var channelCount: Int { units.facts.channelCount }
    var expectedFrames: Int { units.facts.frameCount }
    var holdsInt16: Bool { units.facts.holdsInt16 }
    var linearSamples: LinearSamples? { units.facts.linearSamples }

    /// Where in the file it reads on; behind the audio at the end, if the samples are not compressed.
    var position: Int { unit.position }
    /// Whether the decoder failed where no damage was known.
    var hasFailed: Bool { known == nil && unit.failure != nil }

    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let start = target.baseAddress, !isAtEnd else { return 0 }
        precondition(target.count >= SoundFacts.unitFrames * units.facts.frameBytes, "\(name) has no room")
        unit = try units.read(into: start)
        framesRead += unit.frameCount
        isAtEnd = unit.frameCount < SoundFacts.unitFrames || unit.failure != nil
        if isAtEnd {
            // What the disk does not give is not missing in the file.
            if let failure = unit.readFailure { throw VirtualFile.error(failure, name: name) }
            damage = known ?? damageAtEnd()
        }
        return unit.frameCount
    }

    private func damageAtEnd() -> AudioDamage? {
        let seconds = Double(framesRead) / Double(sampleRate)
        if let failure = unit.failure {
            return AudioDamage(seconds: seconds, reason: "\(failure); the rest is left out")
        }
        // Larger numbers are unknown ones. Headers of MPEG audio count some of the encoder's padding.
        if promises, expectedFrames < 1 << 40, framesRead < expectedFrames - sampleRate / 10 {
            return AudioDamage(
                seconds: seconds,
                reason: "the audio ends; the file states "
                    + "\(AudioDamage.text(Double(expectedFrames) / Double(sampleRate))) s")
        }
        return nil
    }

    /// How its samples are stored, so that they can be read without a header; nil if they are compressed.
    var bareSamples: BareSamples? {
        let codec = Int(units.facts.format) & SF_FORMAT_SUBMASK
        guard let bits = linearSamples?.bits ?? ([SF_FORMAT_ULAW, SF_FORMAT_ALAW].contains(codec) ? 8 : nil)
        else { return nil }
        let order = units.facts.isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE
        return BareSamples(
            format: Int32(SF_FORMAT_RAW | codec | order), sampleRate: sampleRate, channelCount: channelCount,
            frameBytes: bits / 8 * channelCount)
    }

    var formatName: String {
        let format = Int(units.facts.format)
        return [format & SF_FORMAT_TYPEMASK, format & SF_FORMAT_SUBMASK].compactMap { part in
            var info = SF_FORMAT_INFO(format: Int32(part), name: nil, extension: nil)
            let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
            guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = info.name else {
                return nil
            }
            return String(cString: name)
        }.joined(separator: ", ")
    }
}

/// How samples are stored that have no header.
struct BareSamples: Codable {
    /// The container and the codec.
    let format: Int32
    let sampleRate: Int
    let channelCount: Int
    let frameBytes: Int
}

/// What of a file libsndfile reads.
struct SoundPlace: Codable {
    /// The file whose extension says how its samples are stored; nil for the parts.
    var path: String?
    var parts: [Range<Int>] = []
    /// What takes the place of bytes before the parts.
    var head: [UInt8] = []
    /// The most bytes that a read gives near the end; nil for no limit.
    var lastBlock: Int?
    /// The form of samples without a header.
    var samples: BareSamples?
}

internal import CSndfile

/// A file that libsndfile reads, in this process or in one of its own.
final class SoundFile: SampleSource {
    private(set) var damage: AudioDamage?
    private let known: AudioDamage?

    private let name: String
    private let units: any SoundUnits
    /// The number of frames that the header states, if it can be believed.
    private let promisedFrames: Int?
    private var framesRead = 0
    private var isAtEnd = false
    /// A unit that the caller has not taken, and the frames of it that are left.
    private var carried: [UInt8] = []
    private var left = 0..<0

    /// Opens what `place` says of a file; errors call it `name`.
    ///
    /// - Parameters:
    ///   - sandbox: Where it is decoded; nil for this process.
    ///   - promises: Whether fewer frames than the header states are damage.
    ///   - damage: What is known to be damaged.
    init(
        _ place: SoundPlace, of file: VirtualFile, in sandbox: DecoderSandbox?, promises: Bool, name: String,
        damage: AudioDamage? = nil
    ) throws(AudioFileError) {
        if let sandbox {
            units = try SandboxedSound(place, of: file, in: sandbox, name: name)
        } else {
            units = try place.open(file, name: name)
        }
        let stated = units.facts.frameCount
        promisedFrames = promises && stated < 1 << 40 ? stated : nil
        known = damage
        self.name = name
    }

    var sampleRate: Int { units.facts.sampleRate }
    var channelCount: Int { units.facts.channelCount }
    var expectedFrames: Int { units.facts.frameCount }
    var holdsInt16: Bool { units.facts.holdsInt16 }

    /// Where in the file it reads on; behind the audio at the end, if the samples are not compressed.
    var position: Int { units.position }
    /// Whether the decoder failed where no damage was known.
    var hasFailed: Bool { known == nil && units.failure != nil }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        guard holdsInt16 else { return try fill(UnsafeMutableRawBufferPointer(target)) }
        var samples = [Int16](repeating: 0, count: target.count)
        let frames = try samples.withUnsafeMutableBytes { try fill($0) }
        for index in 0..<(frames * channelCount) { target[index] = Float(samples[index]) / 32_768 }
        return frames
    }

    func read(into target: UnsafeMutableBufferPointer<Int16>) throws -> Int {
        precondition(holdsInt16, "\(name) has no 16-bit samples")
        return try fill(UnsafeMutableRawBufferPointer(target))
    }

    private func fill(_ target: UnsafeMutableRawBufferPointer) throws -> Int {
        let frameBytes = units.facts.frameBytes
        let wanted = target.count / frameBytes
        guard let start = target.baseAddress else { return 0 }
        var count = 0
        while count < wanted {
            let place = start + count * frameBytes
            let taken = min(left.count, wanted - count)
            if taken > 0 {
                carried.withUnsafeBytes {
                    let frames = $0[(left.lowerBound * frameBytes)...].prefix(taken * frameBytes)
                    UnsafeMutableRawBufferPointer(start: place, count: frames.count).copyBytes(from: frames)
                }
                left = (left.lowerBound + taken)..<left.upperBound
                count += taken
            } else if isAtEnd {
                break
            } else if wanted - count >= SoundFacts.unitFrames {
                count += try readUnit(place)
            } else {
                if carried.isEmpty {
                    carried = [UInt8](repeating: 0, count: SoundFacts.unitFrames * frameBytes)
                }
                left = 0..<(try carried.withUnsafeMutableBytes { try $0.baseAddress.map(readUnit) ?? 0 })
            }
        }
        return count
    }

    private func readUnit(_ start: UnsafeMutableRawPointer) throws -> Int {
        let count = try units.read(into: start)
        framesRead += count
        isAtEnd = count < SoundFacts.unitFrames || units.failure != nil
        if isAtEnd {
            // What the disk does not give is not missing in the file.
            if let failure = units.readFailure { throw VirtualFile.error(failure, name: name) }
            damage = known ?? damageAtEnd()
        }
        return count
    }

    private func damageAtEnd() -> AudioDamage? {
        let seconds = Double(framesRead) / Double(sampleRate)
        if let failure = units.failure {
            return AudioDamage(seconds: seconds, reason: "\(failure); the rest is left out")
        }
        // Headers of MPEG audio count some of the encoder's padding.
        if let promisedFrames, framesRead < promisedFrames - sampleRate / 10 {
            return AudioDamage(
                seconds: seconds,
                reason: "the audio ends; its header states "
                    + "\(AudioDamage.text(Double(promisedFrames) / Double(sampleRate))) s")
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

    var linearSamples: LinearSamples? {
        let format = Int(units.facts.format)
        guard format & SF_FORMAT_TYPEMASK != SF_FORMAT_FLAC else { return nil }
        switch format & SF_FORMAT_SUBMASK {
        case SF_FORMAT_PCM_U8, SF_FORMAT_PCM_S8: return LinearSamples(bits: 8, isFloat: false)
        case SF_FORMAT_PCM_16: return LinearSamples(bits: 16, isFloat: false)
        case SF_FORMAT_PCM_24: return LinearSamples(bits: 24, isFloat: false)
        case SF_FORMAT_PCM_32: return LinearSamples(bits: 32, isFloat: false)
        case SF_FORMAT_FLOAT: return LinearSamples(bits: 32, isFloat: true)
        case SF_FORMAT_DOUBLE: return LinearSamples(bits: 64, isFloat: true)
        default: return nil
        }
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
struct BareSamples {
    /// The container and the codec.
    let format: Int32
    let sampleRate: Int
    let channelCount: Int
    let frameBytes: Int
}

/// What of a file libsndfile reads.
struct SoundPlace {
    /// The file whose extension says how its samples are stored; nil for the parts.
    var path: String?
    var parts: [Range<Int>] = []
    /// What takes the place of bytes before the parts.
    var head: [UInt8] = []
    /// The most bytes that a read gives near the end; nil for no limit.
    var lastBlock: Int?
    /// The form of samples without a header.
    var samples: BareSamples?

    func open(_ file: VirtualFile, name: String) throws(AudioFileError) -> LibrarySound {
        if let path { return try LibrarySound(path: path) }
        return try LibrarySound(
            FileParts(parts, of: file, after: head, lastBlock: lastBlock), name: name, samples: samples)
    }
}

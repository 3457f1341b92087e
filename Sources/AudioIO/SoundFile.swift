internal import CSndfile
import Glibc

/// A file that libsndfile reads in this process.
final class SoundFile: SampleSource {
    /// Each read is as long, so that errors do not depend on the caller's blocks.
    static let unitFrames = 4096

    let sampleRate: Int
    let channelCount: Int
    /// The number of frames that the header states, which may be wrong.
    let expectedFrames: Int
    private(set) var damage: AudioDamage?
    /// Where in the file it reads on; behind the audio at the end, if the samples are not compressed.
    private(set) var position = 0

    private let known: AudioDamage?
    private let name: String
    let promises: Bool
    private let file: FileParts
    private let handle: OpaquePointer
    /// The container and the codec.
    private let format: Int
    private let isBigEndian: Bool
    private var framesRead = 0
    private var failure: String?
    private var isAtEnd = false

    /// Opens what `place` says of a file; errors call it `name`.
    ///
    /// - Parameters:
    ///   - promises: Whether fewer frames than the file states are damage.
    ///   - damage: What is known to be damaged.
    init(
        _ place: SoundPlace, of whole: VirtualFile, promises: Bool, name: String, damage: AudioDamage? = nil
    ) throws(AudioFileError) {
        self.promises = promises
        known = damage
        self.name = name
        var info = SF_INFO()
        if let samples = place.samples {
            info.samplerate = Int32(truncatingIfNeeded: samples.sampleRate)
            info.channels = Int32(truncatingIfNeeded: samples.channelCount)
            info.format = Int32(truncatingIfNeeded: samples.format)
        }
        let parts = FileParts(place.parts, of: whole, after: place.head, lastBlock: place.lastBlock)
        file = parts
        var callbacks = VirtualFile.callbacks()
        let opened = withExtendedLifetime(parts) {
            sf_open_virtual(
                &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(parts).toOpaque())
        }
        guard let opened else {
            // A failed system call, as for too many open files, says nothing of the content.
            let code: AudioFileError.Code =
                sf_error(nil) == Int32(SF_ERR_SYSTEM) ? .unreadable : .notAudio
            throw AudioFileError(code, path: name, Self.sentence(sf_strerror(nil)))
        }
        handle = opened
        (sampleRate, channelCount) = (Int(info.samplerate), Int(info.channels))
        (expectedFrames, format) = (Int(info.frames), Int(info.format))
        isBigEndian = sf_command(opened, Int32(SFC_RAW_DATA_NEEDS_ENDSWAP), nil, 0) != 0
    }

    deinit { sf_close(handle) }

    var holdsInt16: Bool { format & SF_FORMAT_SUBMASK == SF_FORMAT_PCM_16 }
    private var frameBytes: Int { channelCount * (holdsInt16 ? 2 : 4) }

    /// Whether the decoder failed where no damage was known.
    var hasFailed: Bool { known == nil && failure != nil }

    func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let start = target.baseAddress, !isAtEnd else { return 0 }
        precondition(target.count >= Self.unitFrames * frameBytes, "\(name) has no room")
        var (count, readFailure): (Int, Int32?) = (0, nil)
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end. Asked for more than the
        // header states, libsndfile reads them and keeps them back, so that its position is wrong.
        while count < Self.unitFrames, !isAtEnd {
            let wanted = min(Self.unitFrames, expectedFrames - framesRead) - count
            let place = start + count * frameBytes
            let got =
                wanted <= 0
                ? 0
                : holdsInt16
                    ? sf_readf_short(handle, place.assumingMemoryBound(to: Int16.self), sf_count_t(wanted))
                    : sf_readf_float(handle, place.assumingMemoryBound(to: Float.self), sf_count_t(wanted))
            let error = errno
            count += max(0, Int(got))
            // The next call forgets the error.
            let fault = sf_error(handle)
            if fault != 0 {
                failure = Self.sentence(sf_strerror(handle))
                if fault == Int32(SF_ERR_SYSTEM) { readFailure = error }
            }
            isAtEnd = got <= 0 || fault != 0
        }
        framesRead += count
        position = file.position
        isAtEnd = isAtEnd || count < Self.unitFrames
        if isAtEnd {
            // What the disk does not give is not missing in the file.
            if let failure = file.readFailure ?? readFailure { throw VirtualFile.error(failure, name: name) }
            damage = known ?? damageAtEnd()
        }
        return count
    }

    private func damageAtEnd() -> AudioDamage? {
        let seconds = Double(framesRead) / Double(sampleRate)
        if let failure { return AudioDamage(seconds: seconds, reason: "\(failure); the rest is left out") }
        // Larger numbers are unknown ones. Headers of MPEG audio count some of the encoder's padding, less than a frame.
        if promises, expectedFrames < 1 << 40, framesRead < expectedFrames - sampleRate / 50 {
            return AudioDamage(
                seconds: seconds,
                reason: "the audio ends; the file states "
                    + "\(AudioDamage.text(Double(expectedFrames) / Double(sampleRate))) s")
        }
        return nil
    }

    private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "unknown error" }
        var sentence = String(cString: text)
        while let last = sentence.last, last == "." || last.isWhitespace { sentence.removeLast() }
        return sentence
    }

    /// Nil if the samples are compressed.
    var linearSamples: LinearSamples? {
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

    /// How its samples are stored, so that they can be read without a header; nil if they are compressed.
    var bareSamples: BareSamples? {
        let codec = format & SF_FORMAT_SUBMASK
        guard let bits = linearSamples?.bits ?? ([SF_FORMAT_ULAW, SF_FORMAT_ALAW].contains(codec) ? 8 : nil)
        else { return nil }
        return BareSamples(
            format: SF_FORMAT_RAW | codec | (isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE),
            sampleRate: sampleRate, channelCount: channelCount, frameBytes: bits / 8 * channelCount)
    }

    var formatName: String {
        [format & SF_FORMAT_TYPEMASK, format & SF_FORMAT_SUBMASK].compactMap { part in
            var info = SF_FORMAT_INFO(format: Int32(part), name: nil, extension: nil)
            let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
            guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = info.name else {
                return nil
            }
            return String(cString: name)
        }.joined(separator: ", ")
    }

    /// The title and the artist that a file states outside tags; nil if it is none of libsndfile's.
    static func names(in file: VirtualFile) -> (title: String?, artist: String?)? {
        guard
            let sound = try? SoundFile(
                SoundPlace(parts: [0..<file.byteCount]), of: file, promises: false, name: "")
        else { return nil }
        func text(_ kind: Int) -> String? {
            sf_get_string(sound.handle, Int32(kind)).map { String(cString: $0) }
        }
        return (text(SF_STR_TITLE), text(SF_STR_ARTIST))
    }
}

/// How samples are stored that have no header.
struct BareSamples {
    /// The container and the codec.
    let format: Int
    let sampleRate: Int
    let channelCount: Int
    let frameBytes: Int

    /// What an extension says, in lower case.
    init?(fileExtension: String) {
        switch fileExtension {
        case "vox", "vox8": self.init(codec: SF_FORMAT_VOX_ADPCM, sampleRate: 8000)
        case "vox6": self.init(codec: SF_FORMAT_VOX_ADPCM, sampleRate: 6000)
        case "gsm": self.init(codec: SF_FORMAT_GSM610, sampleRate: 8000)
        case "au", "snd": self.init(codec: SF_FORMAT_ULAW, sampleRate: 8000)
        default: return nil
        }
    }

    private init(codec: Int, sampleRate: Int) {
        self.init(format: SF_FORMAT_RAW | codec, sampleRate: sampleRate, channelCount: 1, frameBytes: 1)
    }

    init(format: Int, sampleRate: Int, channelCount: Int, frameBytes: Int) {
        self.format = format
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameBytes = frameBytes
    }
}

/// What of a file libsndfile reads.
struct SoundPlace {
    var parts: [Range<Int>] = []
    /// What takes the place of bytes before the parts.
    var head: [UInt8] = []
    /// The most bytes that a read gives near the end; nil for no limit.
    var lastBlock: Int?
    /// The form of samples without a header.
    var samples: BareSamples?
}

internal import CSndfile
import Glibc

final class SoundFile: SampleSource {
    let sampleRate: Int
    let channelCount: Int
    let formatName: String
    let expectedFrames: Int
    let holdsInt16: Bool
    /// Nil if the samples are compressed.
    let linearSamples: LinearSamples?

    private(set) var damage: AudioDamage?
    private var known: AudioDamage?

    private let handle: OpaquePointer
    private let file: VirtualFile?
    private let format: Int32
    /// The number of frames that the header states, if it can be believed.
    private let promisedFrames: Int?
    private var framesRead = 0
    private var isAtEnd = false
    private var carriedFloats = Carried<Float>()
    private var carriedInt16s = Carried<Int16>()

    /// The decoder always gets as many frames, so that errors do not depend on the caller's blocks.
    private static let unitFrames = 4096
    convenience init(path: String) throws(AudioFileError) {
        var info = SF_INFO()
        let handle = sf_open(path, Int32(SFM_READ), &info)
        try self.init(handle, info: info, file: nil, promises: true, name: path)
    }

    /// Opens a file with callbacks; errors call it `name`.
    ///
    /// - Parameters:
    ///   - promises: Whether fewer frames than the header states are damage.
    ///   - samples: The form of a file without a header.
    ///   - damage: What is known to be damaged.
    convenience init(
        _ file: VirtualFile, promises: Bool, name: String, samples: BareSamples? = nil,
        damage: AudioDamage? = nil
    ) throws(AudioFileError) {
        var callbacks = VirtualFile.callbacks()
        var info = samples?.info ?? SF_INFO()
        let user = Unmanaged.passUnretained(file).toOpaque()
        let handle = withExtendedLifetime(file) {
            sf_open_virtual(&callbacks, Int32(SFM_READ), &info, user)
        }
        try self.init(handle, info: info, file: file, promises: promises, name: name)
        known = damage
    }

    private init(
        _ handle: OpaquePointer?, info: SF_INFO, file: VirtualFile?, promises: Bool, name: String
    ) throws(AudioFileError) {
        guard let handle else {
            // A failed system call, as for too many open files, says nothing of the content.
            let code: AudioFileError.Code =
                sf_error(nil) == Int32(SF_ERR_SYSTEM) ? .unreadable : .notAudio
            throw AudioFileError(code, path: name, Self.sentence(sf_strerror(nil)))
        }
        self.handle = handle
        self.file = file
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
        expectedFrames = Int(info.frames)
        format = info.format
        formatName = Self.formatName(info.format)
        promisedFrames = promises && expectedFrames < 1 << 40 ? expectedFrames : nil
        holdsInt16 = info.format & Int32(SF_FORMAT_SUBMASK) == Int32(SF_FORMAT_PCM_16)
        linearSamples = Self.linearSamples(info.format)
    }

    deinit { sf_close(handle) }

    func read(into target: UnsafeMutableBufferPointer<Float>) -> Int {
        read(into: target, carried: &carriedFloats) { sf_readf_float(handle, $0, $1) }
    }

    func read(into target: UnsafeMutableBufferPointer<Int16>) -> Int {
        read(into: target, carried: &carriedInt16s) { sf_readf_short(handle, $0, $1) }
    }

    /// How samples are stored, so that they can be read without a header.
    struct BareSamples {
        fileprivate let info: SF_INFO
        let frameBytes: Int
    }

    /// Nil if the samples are compressed.
    var bareSamples: BareSamples? {
        let codec = Int(format & Int32(SF_FORMAT_SUBMASK))
        guard let bits = linearSamples?.bits ?? ([SF_FORMAT_ULAW, SF_FORMAT_ALAW].contains(codec) ? 8 : nil)
        else { return nil }
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channelCount)
        let isBigEndian = sf_command(handle, Int32(SFC_RAW_DATA_NEEDS_ENDSWAP), nil, 0) != 0
        info.format = Int32(SF_FORMAT_RAW | codec | (isBigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE))
        return BareSamples(info: info, frameBytes: bits / 8 * channelCount)
    }

    /// Where in the file it reads on; behind the audio at the end, if the samples are not compressed.
    var position: Int { file?.position ?? 0 }
    /// Whether the decoder failed.
    private(set) var hasFailed = false

    /// Samples of a unit that the caller has not taken.
    private struct Carried<Sample> {
        var samples: [Sample] = []
        var start = 0
    }

    private func read<Sample: Numeric>(
        into target: UnsafeMutableBufferPointer<Sample>, carried: inout Carried<Sample>,
        _ readFrames: (UnsafeMutablePointer<Sample>, sf_count_t) -> sf_count_t
    ) -> Int {
        let wanted = target.count / channelCount * channelCount
        var count = 0
        while count < wanted, let start = target.baseAddress?.advanced(by: count) {
            let left = min(carried.samples.count - carried.start, wanted - count)
            if left > 0 {
                for index in 0..<left { start[index] = carried.samples[carried.start + index] }
                carried.start += left
                count += left
            } else if isAtEnd {
                break
            } else if wanted - count >= Self.unitFrames * channelCount {
                count += readUnit(start, readFrames) * channelCount
            } else {
                carried.start = 0
                carried.samples = [Sample](
                    unsafeUninitializedCapacity: Self.unitFrames * channelCount
                ) { buffer, initialized in
                    guard let start = buffer.baseAddress else { return }
                    start.initialize(repeating: 0, count: buffer.count)
                    initialized = readUnit(start, readFrames) * channelCount
                }
            }
        }
        return count / channelCount
    }

    private func readUnit<Sample>(
        _ start: UnsafeMutablePointer<Sample>,
        _ readFrames: (UnsafeMutablePointer<Sample>, sf_count_t) -> sf_count_t
    ) -> Int {
        var count = 0
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end. Asked for more than the
        // header states, libsndfile reads them and keeps them back, so that its position is wrong.
        while count < Self.unitFrames, !isAtEnd {
            let wanted = min(Self.unitFrames - count, expectedFrames - framesRead - count)
            let got = wanted > 0 ? Int(readFrames(start + count * channelCount, sf_count_t(wanted))) : 0
            count += max(0, got)
            // The next call forgets the error.
            isAtEnd = got <= 0 || sf_error(handle) != 0
        }
        framesRead += count
        if isAtEnd { damage = known ?? damageAtEnd() }
        return count
    }

    private func damageAtEnd() -> AudioDamage? {
        let seconds = Double(framesRead) / Double(sampleRate)
        if sf_error(handle) != 0 {
            hasFailed = true
            return AudioDamage(
                seconds: seconds, reason: "\(Self.sentence(sf_strerror(handle))); the rest is left out")
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

    private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "unknown error" }
        var sentence = String(cString: text)
        while let last = sentence.last, last == "." || last.isWhitespace { sentence.removeLast() }
        return sentence
    }

    private static func linearSamples(_ format: Int32) -> LinearSamples? {
        guard format & Int32(SF_FORMAT_TYPEMASK) != Int32(SF_FORMAT_FLAC) else { return nil }
        switch Int(format & Int32(SF_FORMAT_SUBMASK)) {
        case SF_FORMAT_PCM_U8, SF_FORMAT_PCM_S8: return LinearSamples(bits: 8, isFloat: false)
        case SF_FORMAT_PCM_16: return LinearSamples(bits: 16, isFloat: false)
        case SF_FORMAT_PCM_24: return LinearSamples(bits: 24, isFloat: false)
        case SF_FORMAT_PCM_32: return LinearSamples(bits: 32, isFloat: false)
        case SF_FORMAT_FLOAT: return LinearSamples(bits: 32, isFloat: true)
        case SF_FORMAT_DOUBLE: return LinearSamples(bits: 64, isFloat: true)
        default: return nil
        }
    }

    private static func formatName(_ format: Int32) -> String {
        let parts = [format & Int32(SF_FORMAT_TYPEMASK), format & Int32(SF_FORMAT_SUBMASK)]
        return parts.compactMap { part in
            var info = SF_FORMAT_INFO(format: part, name: nil, extension: nil)
            let size = Int32(MemoryLayout<SF_FORMAT_INFO>.size)
            guard sf_command(nil, Int32(SFC_GET_FORMAT_INFO), &info, size) == 0, let name = info.name else {
                return nil
            }
            return String(cString: name)
        }.joined(separator: ", ")
    }
}

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

    private let handle: OpaquePointer
    private let file: VirtualFile
    /// The file's name in errors.
    private let name: String
    /// The number of frames that the header states, if it can be believed.
    private let promisedFrames: Int?
    private var framesRead = 0
    private var isAtEnd = false
    private var carriedFloats = Carried<Float>()
    private var carriedInt16s = Carried<Int16>()

    /// The decoder always gets as many frames, so that errors do not depend on the caller's blocks.
    private static let unitFrames = 4096
    /// More bytes than decoders leave at the end.
    private static let longestUnread = 8192

    /// Opens a file with callbacks; errors call it `name`.
    ///
    /// - Parameter promises: Whether fewer frames than the header states are damage.
    init(_ file: VirtualFile, promises: Bool, name: String) throws(AudioFileError) {
        var callbacks = VirtualFile.callbacks()
        var info = SF_INFO()
        let user = Unmanaged.passUnretained(file).toOpaque()
        let handle = withExtendedLifetime(file) {
            sf_open_virtual(&callbacks, Int32(SFM_READ), &info, user)
        }
        guard let handle else {
            try file.expectNoFailure(name: name)
            throw AudioFileError(.notAudio, path: name, Self.sentence(sf_strerror(nil)))
        }
        self.handle = handle
        self.file = file
        self.name = name
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
        expectedFrames = Int(info.frames)
        formatName = Self.formatName(info.format)
        promisedFrames = promises && expectedFrames < 1 << 40 ? expectedFrames : nil
        holdsInt16 = info.format & Int32(SF_FORMAT_SUBMASK) == Int32(SF_FORMAT_PCM_16)
        linearSamples = Self.linearSamples(info.format)
    }

    deinit { sf_close(handle) }

    func read(into target: UnsafeMutableBufferPointer<Float>) throws -> Int {
        try read(into: target, carried: &carriedFloats) { sf_readf_float(handle, $0, $1) }
    }

    func read(into target: UnsafeMutableBufferPointer<Int16>) throws -> Int {
        try read(into: target, carried: &carriedInt16s) { sf_readf_short(handle, $0, $1) }
    }

    /// Samples of a unit that the caller has not taken.
    private struct Carried<Sample> {
        var samples: [Sample] = []
        var start = 0
    }

    private func read<Sample: Numeric>(
        into target: UnsafeMutableBufferPointer<Sample>, carried: inout Carried<Sample>,
        _ readFrames: (UnsafeMutablePointer<Sample>, sf_count_t) -> sf_count_t
    ) throws -> Int {
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
                count += try readUnit(start, readFrames) * channelCount
            } else {
                carried.start = 0
                carried.samples = try [Sample](
                    unsafeUninitializedCapacity: Self.unitFrames * channelCount
                ) { buffer, initialized in
                    guard let start = buffer.baseAddress else { return }
                    start.initialize(repeating: 0, count: buffer.count)
                    initialized = try readUnit(start, readFrames) * channelCount
                }
            }
        }
        return count / channelCount
    }

    private func readUnit<Sample>(
        _ start: UnsafeMutablePointer<Sample>,
        _ readFrames: (UnsafeMutablePointer<Sample>, sf_count_t) -> sf_count_t
    ) throws -> Int {
        var count = 0
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end.
        while count < Self.unitFrames, !isAtEnd {
            let got = Int(readFrames(start + count * channelCount, sf_count_t(Self.unitFrames - count)))
            count += max(0, got)
            // The next call forgets the error.
            isAtEnd = got <= 0 || sf_error(handle) != 0
        }
        framesRead += count
        if isAtEnd {
            // What the disk does not give is not missing in the file.
            try file.expectNoFailure(name: name)
            damage = damageAtEnd()
        }
        return count
    }

    private func damageAtEnd() -> AudioDamage? {
        let seconds = Double(framesRead) / Double(sampleRate)
        if sf_error(handle) != 0 {
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
        // A length in a header, or an estimate of it, ends the audio too early.
        if let parts = file as? FileParts, parts.byteCount - parts.position > Self.longestUnread {
            return AudioDamage(
                seconds: seconds,
                reason: "the header states no right length; the rest is left out, as far as it is audio")
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

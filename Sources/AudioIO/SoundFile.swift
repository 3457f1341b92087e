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

    private let handle: OpaquePointer
    private let memory: MemoryFile?

    convenience init(path: String) throws(AudioFileError) {
        var info = SF_INFO()
        let handle = sf_open(path, Int32(SFM_READ), &info)
        try self.init(handle, info: info, memory: nil, name: path)
    }

    convenience init(bytes: [UInt8], name: String) throws(AudioFileError) {
        let memory = MemoryFile(bytes)
        var callbacks = MemoryFile.callbacks()
        var info = SF_INFO()
        let user = Unmanaged.passUnretained(memory).toOpaque()
        let handle = withExtendedLifetime(memory) {
            sf_open_virtual(&callbacks, Int32(SFM_READ), &info, user)
        }
        try self.init(handle, info: info, memory: memory, name: name)
    }

    private init(
        _ handle: OpaquePointer?, info: SF_INFO, memory: MemoryFile?, name: String
    ) throws(AudioFileError) {
        guard let handle else {
            // A failed system call, as for too many open files, says nothing of the content.
            let code: AudioFileError.Code =
                sf_error(nil) == Int32(SF_ERR_SYSTEM) ? .unreadable : .notAudio
            throw AudioFileError(code, path: name, Self.sentence(sf_strerror(nil)))
        }
        self.handle = handle
        self.memory = memory
        sampleRate = Int(info.samplerate)
        channelCount = Int(info.channels)
        expectedFrames = Int(info.frames)
        formatName = Self.formatName(info.format)
        holdsInt16 = info.format & Int32(SF_FORMAT_SUBMASK) == Int32(SF_FORMAT_PCM_16)
        linearSamples = Self.linearSamples(info.format)
    }

    deinit { sf_close(handle) }

    func read(into target: UnsafeMutableBufferPointer<Float>) -> Int {
        read(into: target) { sf_readf_float(handle, $0, $1) }
    }

    func read(into target: UnsafeMutableBufferPointer<Int16>) -> Int {
        read(into: target) { sf_readf_short(handle, $0, $1) }
    }

    private func read<Sample>(
        into target: UnsafeMutableBufferPointer<Sample>,
        _ readFrames: (UnsafeMutablePointer<Sample>, sf_count_t) -> sf_count_t
    ) -> Int {
        let wanted = target.count / channelCount
        var count = 0
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end.
        while count < wanted, let start = target.baseAddress?.advanced(by: count * channelCount) {
            let got = Int(readFrames(start, sf_count_t(wanted - count)))
            guard got > 0 else { break }
            count += got
        }
        return count
    }

    var decodingError: String? { sf_error(handle) == 0 ? nil : Self.sentence(sf_strerror(handle)) }

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

internal import CSndfile
import Glibc

/// An open file of frames, which are read in units.
///
/// Each unit is as long, so that errors do not depend on the caller's blocks.
protocol SoundUnits: AnyObject {
    var facts: SoundFacts { get }
    /// Where in the file the decoder reads on.
    var position: Int { get }
    /// What is wrong, where the decoder failed.
    var failure: String? { get }
    /// The system's error number of a read that failed; nil if none did.
    var readFailure: Int32? { get }

    /// Fills `target` with the frames of a unit and returns their number. It is the last if that is less.
    ///
    /// Samples are 16-bit integers if the file holds such, 32-bit floats otherwise.
    func read(into target: UnsafeMutableRawPointer) throws(AudioFileError) -> Int
}

/// What libsndfile says of a file.
struct SoundFacts: Equatable {
    let sampleRate: Int
    let channelCount: Int
    /// The number of frames that the header states, which may be wrong.
    let frameCount: Int
    /// The container and the codec.
    let format: Int32
    let isBigEndian: Bool

    static let unitFrames = 4096

    var holdsInt16: Bool { Int(format) & SF_FORMAT_SUBMASK == SF_FORMAT_PCM_16 }
    var frameBytes: Int { channelCount * (holdsInt16 ? 2 : 4) }
}

/// A file that libsndfile reads.
final class LibrarySound: SoundUnits {
    let facts: SoundFacts
    private(set) var failure: String?

    private let handle: OpaquePointer
    private let file: VirtualFile?
    private var framesRead = 0
    private var systemError: Int32?

    /// Opens the file at `path`, whose extension says how its samples are stored.
    convenience init(path: String) throws(AudioFileError) {
        var info = SF_INFO()
        let handle = sf_open(path, Int32(SFM_READ), &info)
        try self.init(handle, info: info, file: nil, name: path)
    }

    /// Opens a file with callbacks; errors call it `name`.
    ///
    /// - Parameter samples: The form of a file without a header.
    convenience init(_ file: VirtualFile, name: String, samples: BareSamples? = nil) throws(AudioFileError) {
        var callbacks = VirtualFile.callbacks()
        var info = SF_INFO()
        if let samples {
            info.samplerate = Int32(truncatingIfNeeded: samples.sampleRate)
            info.channels = Int32(truncatingIfNeeded: samples.channelCount)
            info.format = samples.format
        }
        let user = Unmanaged.passUnretained(file).toOpaque()
        let handle = withExtendedLifetime(file) {
            sf_open_virtual(&callbacks, Int32(SFM_READ), &info, user)
        }
        try self.init(handle, info: info, file: file, name: name)
    }

    private init(
        _ handle: OpaquePointer?, info: SF_INFO, file: VirtualFile?, name: String
    ) throws(AudioFileError) {
        guard let handle else {
            // A failed system call, as for too many open files, says nothing of the content.
            let code: AudioFileError.Code =
                sf_error(nil) == Int32(SF_ERR_SYSTEM) ? .unreadable : .notAudio
            throw AudioFileError(code, path: name, Self.sentence(sf_strerror(nil)))
        }
        self.handle = handle
        self.file = file
        facts = SoundFacts(
            sampleRate: Int(info.samplerate), channelCount: Int(info.channels), frameCount: Int(info.frames),
            format: info.format,
            isBigEndian: sf_command(handle, Int32(SFC_RAW_DATA_NEEDS_ENDSWAP), nil, 0) != 0)
    }

    deinit { sf_close(handle) }

    var position: Int { file?.position ?? 0 }
    var readFailure: Int32? { file?.readFailure ?? systemError }

    func read(into target: UnsafeMutableRawPointer) -> Int {
        var count = 0
        var isAtEnd = false
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end. Asked for more than the
        // header states, libsndfile reads them and keeps them back, so that its position is wrong.
        while count < SoundFacts.unitFrames, !isAtEnd {
            let wanted = min(SoundFacts.unitFrames - count, facts.frameCount - framesRead - count)
            let place = target + count * facts.frameBytes
            let got =
                wanted <= 0
                ? 0
                : facts.holdsInt16
                    ? sf_readf_short(handle, place.assumingMemoryBound(to: Int16.self), sf_count_t(wanted))
                    : sf_readf_float(handle, place.assumingMemoryBound(to: Float.self), sf_count_t(wanted))
            let error = errno
            count += max(0, Int(got))
            // The next call forgets the error.
            let fault = sf_error(handle)
            if fault != 0 {
                failure = Self.sentence(sf_strerror(handle))
                if fault == Int32(SF_ERR_SYSTEM) { systemError = error }
            }
            isAtEnd = got <= 0 || fault != 0
        }
        framesRead += count
        return count
    }

    private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "unknown error" }
        var sentence = String(cString: text)
        while let last = sentence.last, last == "." || last.isWhitespace { sentence.removeLast() }
        return sentence
    }
}

internal import CSndfile
import Glibc

/// An open file of frames, which are read in units.
///
/// Each unit is as long, so that errors do not depend on the caller's blocks.
protocol SoundUnits: AnyObject {
    var facts: SoundFacts { get }

    /// Fills `target` with the frames of a unit. It is the last if they are fewer.
    ///
    /// Samples are 16-bit integers if the file holds such, 32-bit floats otherwise.
    func read(into target: UnsafeMutableRawPointer) throws -> SoundUnit
}

/// What the decoder says of a unit.
struct SoundUnit {
    var frameCount = 0
    /// Where in the file it reads on.
    var position = 0
    /// What is wrong, where it failed.
    var failure: String?
    /// The system's error number of a read that failed; nil if none did.
    var readFailure: Int32?
}

/// What libsndfile says of a file.
struct SoundFacts {
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

    /// Nil if the samples are compressed.
    var linearSamples: LinearSamples? {
        guard Int(format) & SF_FORMAT_TYPEMASK != SF_FORMAT_FLAC else { return nil }
        switch Int(format) & SF_FORMAT_SUBMASK {
        case SF_FORMAT_PCM_U8, SF_FORMAT_PCM_S8: return LinearSamples(bits: 8, isFloat: false)
        case SF_FORMAT_PCM_16: return LinearSamples(bits: 16, isFloat: false)
        case SF_FORMAT_PCM_24: return LinearSamples(bits: 24, isFloat: false)
        case SF_FORMAT_PCM_32: return LinearSamples(bits: 32, isFloat: false)
        case SF_FORMAT_FLOAT: return LinearSamples(bits: 32, isFloat: true)
        case SF_FORMAT_DOUBLE: return LinearSamples(bits: 64, isFloat: true)
        default: return nil
        }
    }
}

/// A file that libsndfile reads.
final class LibrarySound: SoundUnits {
    let facts: SoundFacts

    private let handle: OpaquePointer
    private let file: VirtualFile?
    private var framesRead = 0

    /// Opens what `place` says of a file; errors call it `name`.
    init(_ place: SoundPlace, of whole: VirtualFile, name: String) throws(AudioFileError) {
        var info = SF_INFO()
        if let samples = place.samples {
            info.samplerate = Int32(truncatingIfNeeded: samples.sampleRate)
            info.channels = Int32(truncatingIfNeeded: samples.channelCount)
            info.format = samples.format
        }
        let opened: OpaquePointer?
        if let path = place.path {
            file = nil
            opened = sf_open(path, Int32(SFM_READ), &info)
        } else {
            let parts = FileParts(place.parts, of: whole, after: place.head, lastBlock: place.lastBlock)
            file = parts
            var callbacks = VirtualFile.callbacks()
            opened = withExtendedLifetime(parts) {
                sf_open_virtual(
                    &callbacks, Int32(SFM_READ), &info, Unmanaged.passUnretained(parts).toOpaque())
            }
        }
        guard let opened else {
            // A failed system call, as for too many open files, says nothing of the content.
            let code: AudioFileError.Code =
                sf_error(nil) == Int32(SF_ERR_SYSTEM) ? .unreadable : .notAudio
            throw AudioFileError(code, path: name, Self.sentence(sf_strerror(nil)))
        }
        handle = opened
        facts = SoundFacts(
            sampleRate: Int(info.samplerate), channelCount: Int(info.channels), frameCount: Int(info.frames),
            format: info.format,
            isBigEndian: sf_command(opened, Int32(SFC_RAW_DATA_NEEDS_ENDSWAP), nil, 0) != 0)
    }

    deinit { sf_close(handle) }

    func read(into target: UnsafeMutableRawPointer) -> SoundUnit {
        var unit = SoundUnit()
        var isAtEnd = false
        // A call may return fewer frames at a block boundary of the codec; only 0 is the end. Asked for more than the
        // header states, libsndfile reads them and keeps them back, so that its position is wrong.
        while unit.frameCount < SoundFacts.unitFrames, !isAtEnd {
            let wanted = min(SoundFacts.unitFrames, facts.frameCount - framesRead) - unit.frameCount
            let place = target + unit.frameCount * facts.frameBytes
            let got =
                wanted <= 0
                ? 0
                : facts.holdsInt16
                    ? sf_readf_short(handle, place.assumingMemoryBound(to: Int16.self), sf_count_t(wanted))
                    : sf_readf_float(handle, place.assumingMemoryBound(to: Float.self), sf_count_t(wanted))
            let error = errno
            unit.frameCount += max(0, Int(got))
            // The next call forgets the error.
            let fault = sf_error(handle)
            if fault != 0 {
                unit.failure = Self.sentence(sf_strerror(handle))
                if fault == Int32(SF_ERR_SYSTEM) { unit.readFailure = error }
            }
            isAtEnd = got <= 0 || fault != 0
        }
        framesRead += unit.frameCount
        unit.position = file?.position ?? 0
        unit.readFailure = file?.readFailure ?? unit.readFailure
        return unit
    }

    private static func sentence(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "unknown error" }
        var sentence = String(cString: text)
        while let last = sentence.last, last == "." || last.isWhitespace { sentence.removeLast() }
        return sentence
    }
}

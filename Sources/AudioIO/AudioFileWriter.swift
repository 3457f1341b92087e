import AudioCore
internal import CSndfile
import Glibc

/// Writes an audio file block by block, in memory that does not grow with it.
///
/// The file takes its name when it is finished. Until then it is called `.NAME.part`; an instance that ends before removes
/// it.
package final class AudioFileWriter {
    private let path: String
    private let partPath: String
    private let encoding: AudioEncoding.Library
    private let sampleRate: Int
    private let channelCount: Int
    private var writer: SoundFileWriter?

    /// Begins a file.
    ///
    /// - Throws: ``AudioFileError`` if the encoding does not accept the rate or the channels, or needs whole files.
    package init(
        path: String, encoding: AudioEncoding, sampleRate: Int, channelCount: Int
    ) throws(AudioFileError) {
        guard case .library(let library) = encoding.coder, encoding.takes(sampleRate: sampleRate),
            channelCount <= encoding.maxChannels
        else {
            throw AudioFileError(
                .notOffered, path: path,
                "\(encoding) cannot be written block by block with \(channelCount) channels at \(sampleRate) Hz"
            )
        }
        self.path = path
        let name = path.split(separator: "/").last ?? "audio"
        partPath = path.dropLast(name.count) + ".\(name).part"
        self.encoding = library
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channelCount)
        info.format = library.format
        guard let handle = sf_open(partPath, Int32(SFM_WRITE), &info) else {
            throw AudioFileError(
                .cannotEncode, path: path, "cannot be written: \(String(cString: sf_strerror(nil)))")
        }
        let writer = SoundFileWriter(handle: handle, name: path)
        self.writer = writer
        try writer.set(library.quality, sampleRate: sampleRate, channelCount: channelCount)
    }

    deinit {
        guard let writer else { return }
        sf_close(writer.handle)
        unlink(partPath)
    }

    /// Writes the next frames, which must have the rate and the channels of the file.
    package func append(_ audio: AudioBuffer) throws(AudioFileError) {
        precondition(
            audio.sampleRate == sampleRate && audio.channelCount == channelCount,
            "\(audio.channelCount) channels at \(audio.sampleRate) Hz")
        try writer?.write(interleaved: audio.interleaved, as: encoding.samples, gain: encoding.gain)
    }

    /// Completes the file and gives it its name.
    package func finish() throws {
        guard let writer else { return }
        self.writer = nil
        let status = sf_close(writer.handle)
        guard status == 0 else {
            unlink(partPath)
            throw AudioFileError(
                .cannotEncode, path: path,
                "the file cannot be completed: \(String(cString: sf_error_number(status)))")
        }
        guard rename(partPath, path) == 0 else {
            throw AudioFileError(
                .cannotEncode, path: path,
                "the finished file cannot get its name: \(String(cString: strerror(errno)))")
        }
    }
}

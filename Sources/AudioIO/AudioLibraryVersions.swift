internal import CSampleRate
internal import CSndfile
import SystemIO

package enum AudioLibraryVersions {
    package static var all: [String: String] {
        [
            "libsndfile": String(cString: sf_version_string()),
            "libsamplerate": String(cString: src_get_version()),
        ]
    }

    /// The version of the installed `ffmpeg`; nil if there is none.
    package static let ffmpeg: String? = {
        let result = try? ChildProcess.run(
            "ffmpeg", ["-version"], timeoutSeconds: 10, maximumOutputBytes: 1 << 16,
            limits: ForeignDecoder.limits)
        guard let result, result.end == .exited(0) else { return nil }
        // "ffmpeg version 5.1.6-0+deb12u1 Copyright …"
        let words = String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.dropFirst(2).first.map(String.init)
    }()

    /// The program and version that decodes the file, such as `ffmpeg 5.1.6`.
    ///
    /// Nil if libsndfile decodes it, or if it cannot be read.
    package static func program(decodingFileAt path: String) -> String? {
        AudioFileReader.needsProgram(path: path) ? "ffmpeg \(ffmpeg ?? "that is not installed")" : nil
    }
}

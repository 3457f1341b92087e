import ArgumentParser
import AudioIO

/// How audio files are read.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The audio track to read, from 1. (default: all tracks, mixed)",
            discussion: "A warning says when tracks are mixed, such as the languages of a film."))
    var track: Int?
    @Flag(help: "Refuse damaged audio. Without this option a warning names the place.")
    var strict = false
    @OptionGroup var decoding: SandboxOptions

    func validate() throws { try require("--track", track, in: 1...32) }

    /// Warns that tracks of the file at `path` are mixed or cannot be read, and of its damage.
    /// - Throws: `AudioFileError` for damage with `strict`.
    func note(_ mixing: String?, _ damage: AudioDamage?, of path: String) throws {
        if let mixing { StandardError.warn("\(path): \(mixing)") }
        guard let damage else { return }
        if strict { throw damage.error(path: path) }
        StandardError.warn("\(path): \(damage)")
    }
}

/// Where the decoders of files run.
struct SandboxOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Decode files of others in processes that can only read them.",
            discussion: """
                The kernel limits their memory and time, and refuses writing, network and programs. A file that crashes, \
                stops or fills its decoder is an error, and the command continues with the other files.
                """))
    var sandbox = false
}

/// A command that decodes files of others.
protocol DecodingCommand {
    var decoding: SandboxOptions { get }
}

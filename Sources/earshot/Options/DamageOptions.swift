import ArgumentParser
import AudioIO

/// What to do with damaged audio.
struct DamageOptions: ParsableArguments {
    @Flag(help: "Refuse damaged audio. Without this option a warning names the place.")
    var strict = false

    /// Warns of the damage of the file at `path`.
    /// - Throws: `AudioFileError` with `strict`.
    func note(_ damage: AudioDamage?, of path: String) throws {
        guard let damage else { return }
        if strict { throw damage.error(path: path) }
        StandardError.warn("\(path): \(damage)")
    }
}

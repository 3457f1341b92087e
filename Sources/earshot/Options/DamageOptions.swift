import ArgumentParser
import AudioIO

/// What to do with damaged audio.
struct DamageOptions: ParsableArguments {
    @Flag(help: "Refuse damaged audio; without this option there is a warning, and what is left is used.")
    var strict = false

    /// Warns of the damage of the file at `path`.
    /// - Throws: `AudioFileError` with `strict`.
    func note(_ damage: AudioDamage?, of path: String) throws {
        guard let damage else { return }
        if strict { throw AudioFileError(.damaged, path: path, damage.description) }
        StandardError.print("warning: \(path): \(damage)")
    }
}

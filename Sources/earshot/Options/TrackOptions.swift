import ArgumentParser

/// Which audio track of a file is read.
struct TrackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The audio track to read, from 1. (default: all tracks, mixed)",
            discussion: "A warning says when tracks are mixed, such as the languages of a film."))
    var track: Int?

    func validate() throws {
        try require("--track", track, in: 1...32)
    }

    /// Warns that tracks of the file at `path` are mixed, or cannot be read.
    static func note(_ mixing: String?, of path: String) {
        if let mixing { StandardError.warn("\(path): \(mixing)") }
    }
}

import ArgumentParser

/// Which audio track of a file is read.
struct TrackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The audio track to read, from 1, where a file has several.",
            discussion: "By default all tracks are mixed, such as languages of a film; a warning says so."))
    var track: Int?

    func validate() throws {
        try require("--track", track, in: 1...32)
    }

    /// Warns that tracks of the file at `path` are mixed.
    static func note(_ mixing: String?, of path: String) {
        if let mixing { StandardError.warn("\(path): \(mixing)") }
    }
}

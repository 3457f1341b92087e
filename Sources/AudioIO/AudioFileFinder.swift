import SystemIO

package enum AudioFileFinder {
    /// The extensions of files that libsndfile or ffmpeg may find audio in, in lower case.
    package static let audioExtensions: Set<String> = [
        "3g2", "3gp", "8svx", "aa", "aac", "ac3", "adts", "aif", "aifc", "aiff", "alac", "amr", "ape", "asf",
        "au", "avi", "avr", "awb", "bwf", "caf", "dff", "divx", "dsf", "dts", "dtshd", "dv", "eac3", "ec3",
        "f4a", "f4b", "f4v", "flac", "flv", "g722", "g729", "gsm", "gxf", "iff", "ircam", "latm", "loas",
        "m1v", "m2a", "m2t",
        "m2ts", "m2v", "m4a", "m4b", "m4p", "m4r", "m4v", "mj2", "mka", "mkv", "mlp", "mov", "mp1", "mp2",
        "mp3", "mp4", "mpa", "mpc", "mpeg", "mpg", "mpga", "mts", "mxf", "nist", "nsv", "nut", "ofr", "ofs",
        "oga", "ogg", "ogm", "ogv", "ogx", "oma", "omg", "opus", "paf", "pvf", "qt", "ra", "rf64", "rm",
        "rmvb", "sbc",
        "sd2", "sds", "sf", "shn", "snd", "sph", "spx", "svx", "tak", "thd", "trp", "truehd", "ts", "tta",
        "vob", "voc", "vqf", "w64", "wav", "wave", "weba", "webm", "wma", "wmv", "wtv", "wv", "wve", "xwma",
    ]

    /// The audio files in the folder `path` and its subfolders, or the file itself.
    ///
    /// - Throws: ``AudioFileError`` if there is nothing at `path`.
    package static func listing(
        under path: String, withExtensions extensions: Set<String> = audioExtensions
    ) throws(AudioFileError) -> FolderListing {
        guard let listing = FolderListing(of: path, extensions: extensions) else {
            throw .unreadable(path, kind: "file or folder")
        }
        return listing
    }

    /// The audio files in the folders `paths` and their subfolders.
    ///
    /// - Parameter leaveOut: Called with what is passed over in a folder.
    /// - Throws: ``AudioFileError`` if there is nothing at a path or a folder cannot be read.
    package static func audioFiles(
        under paths: [String], leavingOut leaveOut: ([FolderListing.LeftOut]) -> Void
    ) throws(AudioFileError) -> [String] {
        var files: [String] = []
        for path in paths {
            let listing = try listing(under: path)
            if let error = listing.errors.first { throw error }
            if !listing.leftOut.isEmpty { leaveOut(listing.leftOut) }
            files += listing.files
        }
        return files
    }
}

extension FolderListing {
    /// The folders that cannot be read.
    package var errors: [AudioFileError] {
        unreadable.map { AudioFileError(.unreadable, path: $0.path, $0.reason) }
    }
}

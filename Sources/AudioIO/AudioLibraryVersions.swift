internal import CSampleRate
internal import CSndfile

/// The versions of libsndfile and libsamplerate.
public enum AudioLibraryVersions {
    /// Name → version.
    public static var all: [String: String] {
        [
            "libsndfile": String(cString: sf_version_string()),
            "libsamplerate": String(cString: src_get_version()),
        ]
    }
}

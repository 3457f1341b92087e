internal import CSampleRate
internal import CSndfile

/// The versions of the libraries that decode, encode and resample.
public enum AudioLibraryVersions {
    /// Name → version, as the libraries state them.
    public static var all: [String: String] {
        [
            "libsndfile": String(cString: sf_version_string()),
            "libsamplerate": String(cString: src_get_version()),
        ]
    }
}

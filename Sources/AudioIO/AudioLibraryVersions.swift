internal import CSampleRate
internal import CSndfile

package enum AudioLibraryVersions {
    package static var all: [String: String] {
        [
            "libsndfile": String(cString: sf_version_string()),
            "libsamplerate": String(cString: src_get_version()),
        ]
    }
}

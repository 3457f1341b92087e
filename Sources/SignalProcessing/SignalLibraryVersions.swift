internal import CFFTW
internal import CRubberBand

/// The versions of the libraries that transform and stretch.
public enum SignalLibraryVersions {
    /// Name → version, as the libraries state them.
    public static var all: [String: String] {
        ["fftw": String(cString: earshot_fftwf_version()), "rubberband": RUBBERBAND_VERSION]
    }
}

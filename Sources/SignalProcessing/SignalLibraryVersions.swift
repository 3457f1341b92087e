internal import CFFTW

/// The version of the library that transforms.
public enum SignalLibraryVersions {
    /// Name → version, as the library states it.
    public static var all: [String: String] { ["fftw": String(cString: earshot_fftwf_version())] }
}

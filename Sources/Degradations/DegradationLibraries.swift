import AudioIO
import SignalProcessing
import TimeStretch

/// The libraries that shape the samples of a degraded query.
public enum DegradationLibraries {
    /// Name → version, as the libraries state them.
    public static var versions: [String: String] {
        AudioLibraryVersions.all.merging(SignalLibraryVersions.all) { $1 }
            .merging(["rubberband": TimeStretch.libraryVersion]) { $1 }
    }
}

import AudioIO
import SignalProcessing
import TimeStretch

package enum DegradationLibraries {
    /// Name → version, as the libraries state them.
    package static var versions: [String: String] {
        AudioLibraryVersions.all.merging(SignalLibraryVersions.all) { $1 }
            .merging(["rubberband": TimeStretch.libraryVersion]) { $1 }
    }
}

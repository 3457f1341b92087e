import Foundation

/// Where the library of a user lies.
package enum LibraryFolder {
    /// `$XDG_DATA_HOME/earshot`, or `~/.local/share/earshot` where that is unset.
    ///
    /// A relative `XDG_DATA_HOME` is ignored, as the XDG rules demand.
    package static var path: String {
        if let home = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], home.hasPrefix("/") {
            return home + "/earshot"
        }
        return NSHomeDirectory() + "/.local/share/earshot"
    }

    /// What this process is called in the library: its bundle's identifier, or its own name where it has none.
    package static var nameOfThisApp: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }
}

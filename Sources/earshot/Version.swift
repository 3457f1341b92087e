import Evaluation
import Fingerprinting

/// The version of the program.
enum Version {
    static let number = "0.1.0"

    /// Version, commit of the sources worked in, and version of the engine.
    static var text: String {
        "earshot \(number) (commit \(Provenance.currentCommit), engine \(Settings.engineVersion))"
    }
}

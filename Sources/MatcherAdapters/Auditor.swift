import Fingerprinting
import Matchers

extension Contestants {
    /// Our own engine for audits, where each recording is looked up in a catalog that holds it.
    ///
    /// A perfect match does not end the search, so that a recording does not hide those which share a passage with
    /// it, and up to 20 references are named.
    package static func auditor() -> any Matcher {
        var settings = Settings()
        settings.lookup.decisiveScore = 1e9
        settings.lookup.mostQuickCandidates = 60
        settings.lookup.candidates = 60
        settings.decision.answers = 20
        return FingerprintingMatcher(settings: settings)
    }
}

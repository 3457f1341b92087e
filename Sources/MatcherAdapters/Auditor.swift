import Fingerprinting
import Matchers

extension Contestants {
    /// Makes our own engine for audits, where the catalog holds each recording that is looked up.
    ///
    /// A perfect match does not end the search, so other recordings that share a passage are found too. It names up
    /// to 20 references. An hour has 1,350 windows, which confirm each other.
    package static func auditor() -> any Matcher {
        var settings = Settings()
        settings.lookup.decisiveScore = 1e9
        settings.lookup.mostQuickCandidates = 60
        settings.lookup.candidates = 60
        settings.lookup.screenedReferences = 60
        settings.lookup.filterCandidates = 0
        settings.verification.contrastCandidates = 25
        settings.decision.answers = 20
        settings.decision.threshold += settings.decision.margin(windowsPerHour: 1350) / 2
        return FingerprintingMatcher(settings: settings)
    }
}

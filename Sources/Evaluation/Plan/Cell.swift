import Corpora
import SystemIO

/// What the trials of one cell share: a degradation, a severity and a query length.
public struct Cell: Codable, Hashable, Sendable {
    /// The name of the degradation.
    public var degradation: String
    /// The strength as printed, for example `−3 dB` written `-3 dB`; empty where there is none.
    public var severity: String
    /// The strength as a number in the family's unit, where it has one.
    public var severityValue: Double?
    /// The length of queries in seconds.
    public var lengthSeconds: Double
    /// How its queries are related to a reference, in a ladder of relatedness.
    package var rung: Rung?

    package init(
        degradation: String, severity: String, severityValue: Double?, lengthSeconds: Double,
        rung: Rung? = nil
    ) {
        self.degradation = degradation
        self.severity = severity
        self.severityValue = severityValue
        self.lengthSeconds = lengthSeconds
        self.rung = rung
    }

    /// The name that trial names start with: lower case, no blanks, safe in a shell.
    public var slug: String {
        let parts = [degradation, severity, "\(formatNumber(lengthSeconds))s"]
        return parts.filter { !$0.isEmpty }.map { SystemIO.slug($0) }.joined(separator: "/")
    }
}

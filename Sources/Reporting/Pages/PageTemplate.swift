// SPDX-License-Identifier: GPL-3.0-or-later
import Mustache

/// A template that renders a page, with those that it includes.
///
/// ``ReportHTML`` escapes their text. The templates see stored properties only. They look for a missing value in the
/// values around it, unless its name has a point in front.
struct PageTemplate {
    private let name: String
    private let parts: [(name: String, bytes: [UInt8])]

    static let figures = PageTemplate(
        name: "figures",
        parts: [("figures", PackageResources.figures_mustache), ("folds", PackageResources.folds_mustache)])

    static let report = PageTemplate(
        name: "report",
        parts: [
            ("report", PackageResources.report_mustache),
            ("header", PackageResources.header_mustache),
            ("headline", PackageResources.headline_mustache),
            ("overview", PackageResources.overview_mustache),
            ("against", PackageResources.against_mustache),
            ("conditions", PackageResources.conditions_mustache),
            ("cells", PackageResources.cells_mustache),
            ("matrix", PackageResources.matrix_mustache),
            ("recordings", PackageResources.recordings_mustache),
            ("precision", PackageResources.precision_mustache),
            ("noise", PackageResources.noise_mustache),
            ("separation", PackageResources.separation_mustache),
            ("skew", PackageResources.skew_mustache),
            ("reliability", PackageResources.reliability_mustache),
            ("costs", PackageResources.costs_mustache),
            ("latency", PackageResources.latency_mustache),
            ("outcomes", PackageResources.outcomes_mustache),
            ("trials", PackageResources.trials_mustache),
            ("suspects", PackageResources.suspects_mustache),
        ])

    /// The templates that both pages include.
    private static let common: [(name: String, bytes: [UInt8])] = [
        ("head", PackageResources.head_mustache), ("table", PackageResources.table_mustache),
        ("heads", PackageResources.heads_mustache), ("rows", PackageResources.rows_mustache),
        ("changes", PackageResources.changes_mustache),
        ("tiles", PackageResources.tiles_mustache), ("provenance", PackageResources.provenance_mustache),
    ]

    /// - Parameter content: the values by their names in the template; one that is missing renders nothing.
    func render(_ content: [String: Any?]) throws -> String {
        MustacheContentTypes.register(ReportHTML(), named: ReportHTML.name)
        var library = MustacheLibrary()
        for (name, bytes) in parts + Self.common { try library.register(Self.text(bytes), named: name) }
        return library.render(content.compactMapValues(\.self), withTemplate: name) ?? ""
    }

    /// Embedded files, one after the other.
    static func text(_ files: [UInt8]...) -> String { String(decoding: files.joined(), as: UTF8.self) }
}

/// Text made safe for the page's elements and its quoted attributes.
///
/// It escapes Unicode scalars, as a combining mark after a quote or an angle bracket makes one Character of the two.
/// Control characters and directional marks become U+FFFD. So a name can neither vanish nor reorder its neighbours.
struct ReportHTML: MustacheContentType {
    /// The content type in the first line of each template.
    static let name = "REPORT"

    func escapeText(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case _ where scalar.steersText: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

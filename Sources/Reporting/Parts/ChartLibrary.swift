import Foundation

/// Chart.js for embedding, so that a page needs no network.
///
/// It is Debian's package `libjs-chart.js` (Chart.js 3, MIT licence), read where it is installed;
/// its licence comment stays at the top of the text.
public struct ChartLibrary: Sendable {
    let script: String

    /// Where Debian installs it.
    public static let standardPaths = [
        "/usr/share/javascript/chart.js/chart.min.js",
        "/usr/share/javascript/chart.js/Chart.min.js",
        "/usr/share/nodejs/chart.js/dist/chart.min.js",
    ]

    /// The library at the first of `paths` that holds it; nil when none does.
    ///
    /// A file that is no Chart.js 3, is larger than 1 MB or would end the script element early is
    /// passed over.
    public static func installed(at paths: [String] = standardPaths) -> ChartLibrary? {
        for path in paths {
            guard let data = FileManager.default.contents(atPath: path), data.count <= 1_000_000,
                let text = String(data: data, encoding: .utf8), text.contains("Chart.js v3."),
                !text.lowercased().contains("</script"), !text.contains("<!--")
            else { continue }
            // A source map would be looked for beside the page.
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("//# sourceMappingURL=") }
            return ChartLibrary(script: lines.joined(separator: "\n"))
        }
        return nil
    }
}

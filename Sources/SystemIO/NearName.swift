extension Sequence<String> {
    /// The name that `name` was probably meant to be; nil where none is near.
    ///
    /// The distance counts insertions, deletions, replacements and swaps of neighbours.
    package func nearest(to name: String) -> String? {
        let wanted = Array(name.lowercased())
        let most = Swift.max(1, wanted.count / 3)
        let near = map { (name: $0, distance: Self.distance(wanted, Array($0.lowercased()))) }
            .filter {
                $0.distance <= most || (wanted.count > 2 && $0.name.lowercased().hasPrefix(name.lowercased()))
            }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// ` Did you mean "games"?`, or nothing where no name is near.
    package func suggestion(for name: String) -> String {
        nearest(to: name).map { ". Did you mean \"\($0)\"?" } ?? ""
    }

    /// The distance of Damerau and Levenshtein, each part changed once.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for (i, character) in one.enumerated() {
            var row = [i + 1]
            for (j, against) in other.enumerated() {
                var least = Swift.min(
                    rows[i][j] + (character == against ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, character == other[j - 1], one[i - 1] == against {
                    least = Swift.min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}

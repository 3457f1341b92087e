/// Finds files by the names that lists call them: a path, the last part of one, or that without its extension.
package struct FileNames: Sendable {
    package enum Match: Hashable, Sendable {
        case one(String)
        case none
        case several([String])
    }

    private let paths: Set<String>
    private let byName: [String: [String]]
    private let byStem: [String: [String]]

    package init(_ paths: [String]) {
        self.paths = Set(paths)
        byName = Dictionary(grouping: paths, by: Self.last)
        byStem = Dictionary(grouping: paths) { Self.stem(Self.last($0)) }
    }

    /// The file with this name.
    ///
    /// A match of the whole path comes first, one of the stem last.
    package func callAsFunction(_ name: String) -> Match {
        let path = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
        if paths.contains(path) { return .one(path) }
        let last = Self.last(path)
        for found in [byName[last], byStem[last], byStem[Self.stem(last)]] {
            guard let found else { continue }
            // Of several the one whose folders are named, too.
            let near = found.filter { $0.hasSuffix("/" + path) }
            let left = near.count == 1 ? near : found
            return left.count == 1 ? .one(left[0]) : .several(left.sorted())
        }
        return .none
    }

    private static func last(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    package static func stem(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }
}

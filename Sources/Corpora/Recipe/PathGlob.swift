/// A pattern for paths: `*` and `?` match characters within one component, `**` any number of components, also none.
package struct PathGlob: Hashable, Sendable, CustomStringConvertible {
    package let pattern: String
    private let components: [[Character]]

    package init(_ pattern: String) {
        self.pattern = pattern
        components = pattern.split(separator: "/").map(Array.init)
    }

    package var description: String { pattern }

    /// The leading components that hold no wildcard, joined; empty when the first one does.
    package var literalPrefix: String {
        components.dropLast().prefix { !$0.contains("*") && !$0.contains("?") }
            .map { String($0) }.joined(separator: "/")
    }

    package func matches(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(Array.init)
        // reachable[j]: the first i components of the pattern fit the first j parts of the path.
        var reachable = [true] + [Bool](repeating: false, count: parts.count)
        for component in components {
            var next = [Bool](repeating: false, count: parts.count + 1)
            if component == ["*", "*"] {
                var isOpen = false
                for index in 0...parts.count {
                    isOpen = isOpen || reachable[index]
                    next[index] = isOpen
                }
            } else {
                for index in 0..<parts.count where reachable[index] {
                    if Self.fits(component, parts[index]) { next[index + 1] = true }
                }
            }
            reachable = next
        }
        return reachable[parts.count]
    }

    private static func fits(_ pattern: [Character], _ text: [Character]) -> Bool {
        var reachable = [true] + [Bool](repeating: false, count: text.count)
        for symbol in pattern {
            var next = [Bool](repeating: false, count: text.count + 1)
            if symbol == "*" {
                var isOpen = false
                for index in 0...text.count {
                    isOpen = isOpen || reachable[index]
                    next[index] = isOpen
                }
            } else {
                for index in 0..<text.count where reachable[index] {
                    if symbol == "?" || symbol == text[index] { next[index + 1] = true }
                }
            }
            reachable = next
        }
        return reachable[text.count]
    }
}

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
        return Self.fits(components, parts, any: ["*", "*"]) { component, part in
            Self.fits(component, part, any: "*") { $0 == "?" || $0 == $1 }
        }
    }

    /// Whether a pattern fits a text whole; `any` fits any number of elements.
    private static func fits<Element: Equatable>(
        _ pattern: [Element], _ text: [Element], any: Element, _ isFit: (Element, Element) -> Bool
    ) -> Bool {
        // reachable[j]: the first i elements of the pattern fit the first j of the text.
        var reachable = [true] + [Bool](repeating: false, count: text.count)
        for element in pattern {
            var next = [Bool](repeating: false, count: text.count + 1)
            if element == any {
                var isOpen = false
                for index in 0...text.count {
                    isOpen = isOpen || reachable[index]
                    next[index] = isOpen
                }
            } else {
                for index in 0..<text.count where reachable[index] {
                    if isFit(element, text[index]) { next[index + 1] = true }
                }
            }
            reachable = next
        }
        return reachable[text.count]
    }
}

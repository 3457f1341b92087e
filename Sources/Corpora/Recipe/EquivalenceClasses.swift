/// Recordings joined into classes, with offsets along the links where the recordings are the same.
package struct EquivalenceClasses {
    private let order: [String: Int]
    private var parent: [String: String] = [:]
    private var sameRecording: [String: [(id: String, offsetSeconds: Double)]] = [:]

    /// Starts with every recording alone; a class is called by its member that comes first in `ids`.
    package init(ids: [String]) {
        order = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Joins two recordings: `first` at second t is `second` at second t + `offsetSeconds`, or nil
    /// where they only share a passage.
    package mutating func join(_ first: String, _ second: String, offsetSeconds: Double?) {
        if let offsetSeconds {
            sameRecording[first, default: []].append((second, offsetSeconds))
            sameRecording[second, default: []].append((first, -offsetSeconds))
        }
        let one = classID(of: first)
        let other = classID(of: second)
        guard one != other else { return }
        let isFirst = order[one, default: .max] < order[other, default: .max]
        parent[isFirst ? other : one] = isFirst ? one : other
    }

    package func classID(of id: String) -> String {
        var id = id
        while let above = parent[id] { id = above }
        return id
    }

    /// The recording at second t is its class's first at second t + the result; nil where they
    /// only share a passage.
    package func offsetSeconds(of id: String) -> Double? {
        let goal = classID(of: id)
        var known = [id: 0.0]
        var queue = [id]
        while !queue.isEmpty {
            let here = queue.removeFirst()
            if here == goal { return known[here] }
            for (next, step) in sameRecording[here] ?? [] where known[next] == nil {
                known[next] = known[here, default: 0] + step
                queue.append(next)
            }
        }
        return nil
    }
}

import AudioCore
import Foundation
import Synchronization

/// An answer to a query with values that no catalog gives.
enum ForgedAnswer {
    /// Replaces the value at a path of keys and indices.
    static func replacing(_ path: [String], by value: Any, in body: [UInt8]) -> [UInt8] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)),
            let data = try? JSONSerialization.data(withJSONObject: replaced(object, path[...], value))
        else { return body }
        return [UInt8](data)
    }

    private static func replaced(_ object: Any, _ path: ArraySlice<String>, _ value: Any) -> Any {
        guard let key = path.first else { return value }
        if var members = object as? [String: Any], let old = members[key] {
            members[key] = replaced(old, path.dropFirst(), value)
            return members
        }
        guard var list = object as? [Any], let place = Int(key), list.indices.contains(place) else {
            return object
        }
        list[place] = replaced(list[place], path.dropFirst(), value)
        return list
    }

    /// The paths of all values within an answer.
    static func paths(in object: Any) -> [[String]] {
        var found: [[String]] = []
        if let members = object as? [String: Any] {
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                found += [[key]] + paths(in: value).map { [key] + $0 }
            }
        } else if let list = object as? [Any] {
            for (place, value) in list.enumerated() {
                found += [["\(place)"]] + paths(in: value).map { ["\(place)"] + $0 }
            }
        }
        return found
    }

    private static let values: [any Sendable] = [
        0, -1, 1e308, -1e308, 5e-324, 2_147_483_648, Int64.max, Int64.min, 1e19, -1e19, "", NSNull(), [Int](),
        [String: Int](), true, 1.5, -0.5, 1e6, 1e9, "NaN", 1e-300,
    ]

    /// Mutates each answer in another way.
    static func mutating(from first: UInt64) -> RecordingRelay.Treatment {
        let seed = Mutex(first)
        return .change { body in
            mutated(
                body,
                seed: seed.withLock { seed in
                    defer { seed += 1 }
                    return seed
                })
        }
    }

    /// Replaces one to four values by others.
    static func mutated(_ body: [UInt8], seed: UInt64) -> [UInt8] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) else { return body }
        var generator = SeededGenerator(seed: seed)
        let paths = paths(in: object)
        return (0..<(1 + generator.index(below: 4))).reduce(body) { body, _ in
            replacing(
                paths[generator.index(below: paths.count)], by: values[generator.index(below: values.count)],
                in: body)
        }
    }

    /// Paths and values each of which once ended the process that got them, or was taken for an answer.
    static let refused: [(path: [String], value: Double)] = [
        (["references", "0", "matchOffset"], 1e19), (["references", "0", "matchOffset"], -1e308),
        (["references", "0", "timeSkew"], 1e308), (["references", "0", "timeSkew"], -1),
        (["references", "0", "frequencySkew"], 7), (["references", "0", "matchOffsetError"], -1),
        (["references", "0", "confidence"], 1.5),
        (["references", "0", "evidence", "reverberationDelay"], -1e308),
        (["references", "0", "evidence", "matchedPeaks"], -3),
        (["references", "0", "evidence", "chanceOfPeak"], 1e9),
        (["references", "0", "evidence", "measuredTimeSkew"], -1e10), (["catalogHours"], 1e300),
    ]
}

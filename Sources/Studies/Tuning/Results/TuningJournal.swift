import Evaluation
import Matchers

/// The measurements of a search, from which a killed one resumes.
package final class TuningJournal {
    /// The search of a journal; other values make its results unusable.
    struct Identity: Codable, Hashable {
        var formatVersion = 1
        var planDigest: String
        var matcherDigest: String
        var seed: UInt64
        var start: [String: Double]
        var searched: [TunableSetting]
        var shares: [Double]
    }

    struct Entry: Codable {
        var settings: [String: Double]
        var rung: Int
        var answers: [TrialAnswer]
        var indexBytes: Int?
        var failure: String?
        var seconds: Double
    }

    struct Line: Codable {
        var identity: Identity?
        var entry: Entry?
        var heldOut: HeldOutCheck?
    }

    private let file: JSONLines<Line>
    let entries: [Entry]
    package private(set) var heldOut: HeldOutCheck?
    /// Remarks on the file as it was found; empty for a new one.
    package let notes: [String]

    /// Opens or creates the journal of a search at `path`.
    ///
    /// - Parameter matcherDigest: Changes when the matcher could answer differently (`Contestant.digest()`).
    /// - Throws: ``TuningError`` when it is damaged, or belongs to another search, with the difference.
    package convenience init(
        path: String, space: SearchSpace, plan: Plan, matcherDigest: String, seed: UInt64
    ) throws {
        try self.init(
            path: path,
            identity: Identity(
                planDigest: plan.digest, matcherDigest: matcherDigest, seed: seed,
                start: space.start, searched: space.tunables, shares: RungLadder.thirds))
    }

    init(path: String, identity: Identity) throws {
        file = try JSONLines(path: path)
        entries = file.lines.compactMap(\.entry)
        heldOut = file.lines.compactMap(\.heldOut).last
        var notes: [String] = []
        if file.tornBytes > 0 {
            notes.append(
                "\(path): the last line was incomplete (\(file.tornBytes) bytes); it is measured again")
        }
        if let known = file.lines.first {
            guard let known = known.identity else {
                throw TuningError("\(path):1: expected the identity of a search; is this a journal of one?")
            }
            if let difference = known.difference(to: identity) {
                throw TuningError(
                    "\(path): this journal belongs to another search: its \(difference). "
                        + "Name another folder, or repeat the search it was made for")
            }
            notes.append("\(path): \(entries.count) measurements are reused")
        } else {
            try file.append(Line(identity: identity))
        }
        self.notes = notes
    }

    func append(_ entry: Entry) throws { try file.append(Line(entry: entry)) }

    package func append(_ check: HeldOutCheck) throws {
        heldOut = check
        try file.append(Line(heldOut: check))
    }
}

extension TuningJournal.Identity {
    fileprivate func difference(to other: Self) -> String? {
        if formatVersion != other.formatVersion {
            return "format is version \(formatVersion), expected \(other.formatVersion)"
        }
        if planDigest != other.planDigest {
            return
                "plan, corpus or half differs (digest \(planDigest.prefix(12)), now \(other.planDigest.prefix(12)))"
        }
        if seed != other.seed { return "seed is \(seed), now \(other.seed)" }
        if start != other.start { return "start is \(Self.text(start)), now \(Self.text(other.start))" }
        if searched != other.searched {
            return "searched settings are \(searched.map(\.name).joined(separator: ", ")), "
                + "now \(other.searched.map(\.name).joined(separator: ", "))"
        }
        if shares != other.shares { return "rungs are \(shares), now \(other.shares)" }
        if matcherDigest != other.matcherDigest {
            return "matcher answers differently (digest \(matcherDigest.prefix(12)), "
                + "now \(other.matcherDigest.prefix(12)))"
        }
        return nil
    }

    private static func text(_ settings: [String: Double]) -> String {
        settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}

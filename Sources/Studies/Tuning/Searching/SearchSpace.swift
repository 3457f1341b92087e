import AudioCore
import Matchers
import Metrics

package struct SearchSpace: Sendable {
    package let contestant: Contestant
    package let tunables: [TunableSetting]
    package let goals: TuningGoals

    /// Selects the settings called `names` for search; no name selects all but thresholds.
    ///
    /// - Throws: ``TuningError`` for an unknown setting, for a threshold, or when the contestant has none.
    package init(_ contestant: Contestant, names: [String] = [], goals: TuningGoals = .standard) throws {
        self.contestant = contestant
        self.goals = goals
        let searchable = contestant.tunables.filter { !$0.isThreshold }
        guard !(searchable.isEmpty && (names.isEmpty || contestant.tunables.isEmpty)) else {
            throw TuningError(
                "there is nothing to search: \(contestant.name) has no settings to choose. A program states them when it "
                    + "answers hello, or --settings-file does")
        }
        var found: [TunableSetting] = []
        for name in names.isEmpty ? searchable.map(\.name) : names {
            guard let tunable = contestant.tunables.first(where: { $0.name == name }) else {
                throw TuningError(
                    "\(contestant.name) has no setting \(name) to search; there are "
                        + contestant.tunables.map(\.name).joined(separator: ", "))
            }
            guard !tunable.isThreshold else {
                throw TuningError(
                    "\(name) cannot change what is found, because each candidate is judged at the "
                        + "threshold that it needs. Choose a threshold with `earshot threshold RUN`")
            }
            guard !found.contains(tunable) else { throw TuningError("\(name) is named twice") }
            found.append(tunable)
        }
        tunables = found
    }

    /// The starting values: every searched setting, and others that were chosen.
    package var start: [String: Double] {
        contestant.chosen.merging(tunables.map { ($0.name, $0.standard) }) { chosen, _ in chosen }
    }

    package var standard: [String: Double] {
        let standards = Dictionary(uniqueKeysWithValues: contestant.tunables.map { ($0.name, $0.standard) })
        return Dictionary(uniqueKeysWithValues: start.keys.map { ($0, standards[$0] ?? 0) })
    }

    static func text(_ settings: [String: Double]) -> String {
        settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    func settings(at point: [Double]) -> [String: Double] {
        moved(start, to: point)
    }

    func point(of settings: [String: Double]) -> [Double] {
        tunables.map { $0.position(of: settings[$0.name] ?? $0.standard) }
    }

    /// Moves some of the searched settings by normal steps in position.
    ///
    /// - Parameter width: The standard deviation of a step, as a share of a setting's range. Steps beyond the range
    ///   are reflected into it.
    func step(from settings: [String: Double], width: Double, using generator: inout SeededGenerator)
        -> [String: Double]
    {
        var point = point(of: settings)
        let chosen = generator.index(below: point.count)
        let share = max(0.3, 2 / Double(point.count))
        for index in point.indices where index == chosen || generator.unit() < share {
            // The middle of a cell of the generator's grid is never 0, where the quantile is infinite.
            let normal = NormalDistribution.quantile(min(generator.unit() + 0x1p-54, 1 - 0x1p-53))
            var moved = (point[index] + width * normal).truncatingRemainder(dividingBy: 2)
            if moved < 0 { moved += 2 }
            point[index] = moved > 1 ? 2 - moved : moved
        }
        return moved(settings, to: point)
    }

    private func moved(_ settings: [String: Double], to point: [Double]) -> [String: Double] {
        settings.merging(zip(tunables, point).map { ($0.name, $0.value(at: $1)) }) { $1 }
    }
}

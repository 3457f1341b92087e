import Foundation
import Metrics
import Studies

/// What the page's script draws, with the keys that it reads.
struct IntroDrawings: Encodable {
    let curves: [IntroCurve]
    let errors: [Int] = []
    let noises: [Int] = []

    /// JSON that can stand in a script element: no text in it can end the element.
    func json() throws -> String { try ScriptJSON.text(self) }

    private enum CodingKeys: String, CodingKey { case curves, errors, noises }
}

/// The share of right claims by how long after the intro a query ends.
struct IntroCurve: Encodable {
    let id: String
    let title: String
    let axis = "the query ends so long after the intro, s"
    let scale = CurveChart.Scale.linear
    let series: [CurveChart.Series]

    private enum CodingKeys: String, CodingKey { case id, axis, scale, series }

    /// One chart a condition, with a curve for each number of episodes and length of query.
    static func all(_ model: IntroModel) -> [IntroCurve] {
        model.plan.conditions.enumerated().compactMap { number, condition in
            let rows = model.score.boundary.filter { $0.cell.condition == condition.name }
            let groups = Dictionary(grouping: rows) {
                "\($0.cell.episodes) episodes, \(NumberText.length($0.cell.lengthSeconds))"
            }
            let names = rows.map {
                "\($0.cell.episodes) episodes, \(NumberText.length($0.cell.lengthSeconds))"
            }
            var seen: Set<String> = []
            let series = names.filter { seen.insert($0).inserted }.compactMap { name -> CurveChart.Series? in
                let points = (groups[name] ?? []).compactMap(point)
                return points.count >= 2 ? CurveChart.Series(name: name, points: points) : nil
            }
            return series.isEmpty
                ? nil
                : IntroCurve(
                    id: "intro-\(number)", title: "Right episode claimed, \(condition.name)", series: series)
        }
    }

    private static func point(_ row: IntroScore.Row) -> CurveChart.Point? {
        guard let tail = row.cell.tailSeconds, let rate = row.right.rate,
            let interval = row.right.wilsonInterval()
        else { return nil }
        return CurveChart.Point(
            x: tail, label: "\(NumberText.length(tail)) after", recall: rate, lower: interval.lower,
            upper: interval.upper, count: row.right.successes, of: row.right.trials)
    }
}

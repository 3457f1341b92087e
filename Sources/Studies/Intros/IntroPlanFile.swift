import Corpora
import Degradations
import Evaluation

/// A plan of sets of episodes that share an intro; `Plans.md` describes each key.
package typealias IntroPlanFile = StudyPlan<IntroDesign>

extension IntroPlanFile {
    /// All that decides the audio and the queries, as JSON; the margin only scores the answers.
    func unscored() throws -> String {
        var plan = self
        plan.replace("margin", \.margin, by: 0)
        return try plan.content()
    }
}

/// The episodes of a plan of intros, and the queries from them.
package struct IntroDesign: PlanDesign {
    package var sets: Int
    package var episodes: [Int]
    package var queriedEpisodes: Int
    package var introSeconds: ClosedRange<Double>
    package var openingSeconds: ClosedRange<Double>
    package var bodySeconds: Double
    package var background: Int
    package var queryLengths: [Double]
    package var tails: [Double]
    package var insideQueries: Int
    package var skewSpacings: [Double]
    package var skewQueries: Int
    package var margin: Double
    package var conditions: [Condition]

    package struct Condition: Codable, Hashable, Sendable {
        package var name: String
        package var chain: [DegradationTemplate]
    }
}

extension IntroDesign {
    /// The margin of a plan that states none.
    ///
    /// It is the smallest at which no query inside an intro claims an episode (corpus `games`, tuning half).
    package static let usualMargin = 13.0
    /// The largest skew of a tag either way, in percent.
    package static let largestTag = 5.0

    /// The number of episodes that skews `spacing` percent apart can tag.
    package static func episodes(taggedAt spacing: Double) -> Int { 2 * tagsEitherWay(spacing) + 1 }

    static func tagsEitherWay(_ spacing: Double) -> Int { Int(largestTag / spacing + 1e-9) }

    package init(_ plan: YAMLMapping) throws {
        sets = try plan.count("sets", in: 1...10_000)
        episodes = try plan.list("episodes").map { try $0.int() }
        queriedEpisodes = try plan.count("queriedEpisodes", in: 1...1000, default: 5)
        introSeconds = try plan.range("introSeconds", in: 1...600)
        openingSeconds = try plan.range("openingSeconds", in: 0...600)
        bodySeconds = try plan.length("bodySeconds", default: 20)
        background = try plan.count("background", in: 0...10_000, default: 0)
        queryLengths = try plan.list("queryLengths").map { try plan.checkedLength($0.double()) }.sorted()
        tails = try plan.list("tails").map { try plan.checkedLength($0.double()) }.sorted()
        insideQueries = try plan.count("insideQueries", in: 0...1000, default: 1)
        let spacings = try plan.list("skewSpacings").map { try $0.double() }
        skewSpacings = spacings.sorted(by: >)
        skewQueries = try plan.count("skewQueries", in: 1...10_000, default: 4)
        margin = try plan.double("margin", default: Self.usualMargin)
        conditions = try plan.list("conditions").map { try Condition($0.mapping()) }
        try plan.rejectUnknownKeys()
        try check(plan)
    }

    private func check(_ plan: YAMLMapping) throws {
        guard !episodes.isEmpty, episodes.allSatisfy((2...100).contains),
            Set(episodes).count == episodes.count
        else { throw plan.error("`episodes`: expected different numbers of episodes in 2…100") }
        guard let longest = queryLengths.last, Set(queryLengths).count == queryLengths.count else {
            throw plan.error("`queryLengths`: expected one or more different lengths")
        }
        guard let lastTail = tails.last, Set(tails).count == tails.count else {
            throw plan.error("`tails`: expected one or more different times")
        }
        guard introSeconds.lowerBound >= longest else {
            throw plan.error(
                "the shortest intro, \(introSeconds.lowerBound) s, is shorter than a query of \(longest) s")
        }
        guard bodySeconds >= lastTail + 1 else {
            throw plan.error(
                "`bodySeconds`: expected at least \(lastTail + 1) s, one more than the last of `tails`")
        }
        guard skewSpacings.allSatisfy({ $0 >= 0.001 && $0 <= Self.largestTag }),
            Set(skewSpacings).count == skewSpacings.count
        else {
            throw plan.error(
                "`skewSpacings`: expected different percentages in 0.001…\(Self.largestTag)")
        }
        guard margin >= 0 else { throw plan.error("`margin`: expected 0 or more, found \(margin)") }
        guard !conditions.isEmpty, Set(conditions.map(\.name)).count == conditions.count else {
            throw plan.error("`conditions`: expected one or more of different names")
        }
    }
}

extension IntroDesign.Condition {
    fileprivate init(_ condition: YAMLMapping) throws {
        name = try condition.string("name")
        chain = try condition.list("chain").map { try PlanFile.FamilyReader.template($0, variables: [:]) }
        try condition.rejectUnknownKeys()
    }
}

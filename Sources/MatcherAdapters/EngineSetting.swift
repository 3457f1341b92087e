import Fingerprinting
import Matchers

struct EngineSetting: Sendable {
    let description: TunableSetting
    private let choose: @Sendable (Double, inout Settings) -> Void

    /// The recommended settings, with the `chosen` ones replaced.
    static func settings(_ chosen: [String: Double]) -> Settings {
        var settings = Settings()
        for setting in all {
            if let value = chosen[setting.description.name] { setting.choose(value, &settings) }
        }
        return settings
    }

    private init(
        _ name: String, _ path: WritableKeyPath<Settings, Int> & Sendable, in range: ClosedRange<Double>,
        scale: TunableSetting.Scale = .linear, _ summary: String
    ) {
        description = TunableSetting(
            name: name, in: range, scale: scale, isWhole: true, standard: Double(Settings()[keyPath: path]),
            summary: summary)
        choose = { $1[keyPath: path] = Int($0) }
    }

    private init<Value: BinaryFloatingPoint & SendableMetatype>(
        _ name: String, _ path: WritableKeyPath<Settings, Value> & Sendable, in range: ClosedRange<Double>,
        scale: TunableSetting.Scale = .linear, isThreshold: Bool = false, _ summary: String
    ) {
        description = TunableSetting(
            name: name, in: range, scale: scale, standard: Double(Settings()[keyPath: path]),
            isThreshold: isThreshold, summary: summary)
        choose = { $1[keyPath: path] = Value($0) }
    }

    /// The settings that a search may change.
    ///
    /// It leaves out fitted ones, for example the weights.
    static let all: [EngineSetting] = [
        EngineSetting(
            "analysis.lowestHertz", \.analysis.lowestHertz, in: 20...400, scale: .logarithmic,
            "the lowest frequency of a peak, in hertz"),
        EngineSetting(
            "analysis.highestHertz", \.analysis.highestHertz, in: 1500...7600,
            "the highest frequency of a peak, in hertz"),
        EngineSetting(
            "analysis.envelopeWeight", \.analysis.envelopeWeight, in: 0...1,
            "how much of the surrounding level is taken off a peak's level to rank it"),
        EngineSetting(
            "analysis.referenceRank", \.analysis.referenceRank, in: 1...8,
            "a reference keeps peaks that fewer neighbours than this outrank"),
        EngineSetting(
            "analysis.queryRank", \.analysis.queryRank, in: 1...16,
            "a query keeps peaks that fewer neighbours than this outrank"),
        EngineSetting(
            "index.referencePairs", \.index.referencePairs, in: 1...10,
            "how many pairs a reference peak starts"),
        EngineSetting(
            "index.queryPairs", \.index.queryPairs, in: 2...64, scale: .logarithmic,
            "how many pairs a query peak starts"),
        EngineSetting(
            "index.widestOctaves", \.index.widestOctaves, in: 0.2...0.9,
            "the most octaves between the peaks of a pair"),
        EngineSetting(
            "index.ratioWeight", \.index.ratioWeight, in: 0.1...3, scale: .logarithmic,
            "distance in frequency against distance in time in nearest"),
        EngineSetting(
            "lookup.quickRank", \.lookup.quickRank, in: 1...10,
            "the first phase uses query peaks that fewer neighbours than this outrank"),
        EngineSetting(
            "lookup.mostHits", \.lookup.mostHits, in: 3_000...1_000_000, scale: .logarithmic,
            "how many hits the full search counts at most for 5 s"),
        EngineSetting(
            "lookup.widestOctaves", \.lookup.widestOctaves, in: 0.007...0.0905,
            "the largest frequency skew that is looked for, in octaves"),
        EngineSetting(
            "lookup.candidates", \.lookup.candidates, in: 2...600, scale: .logarithmic,
            "how many candidates the full search checks at most, in a catalog of up to 15 h"),
        EngineSetting(
            "lookup.screenedReferences", \.lookup.screenedReferences, in: 1...200, scale: .logarithmic,
            "how many references have their peaks counted: those with the most supported fits"),
        EngineSetting(
            "lookup.firstCandidates", \.lookup.firstCandidates, in: 1...200, scale: .logarithmic,
            "how many candidates the full search checks before it looks at the result"),
        EngineSetting(
            "lookup.filterCandidates", \.lookup.filterCandidates, in: 0...200,
            "how many places of the matched filter are checked"),
        EngineSetting(
            "lookup.leastPairs", \.lookup.leastPairs, in: 2...20, scale: .logarithmic,
            "candidates on which fewer pairs agree are not looked at"),
        EngineSetting(
            "verification.largestTimeSkew", \.verification.largestTimeSkew, in: 0.005...0.062,
            "the largest time skew tried"),
        EngineSetting(
            "decision.threshold", \.decision.threshold, in: -5...20, isThreshold: true,
            "the least score of a match"),
    ]
}

import AudioCore
import Corpora
import Degradations
import Evaluation

/// A plan of one long recording with airings of references; `Plans.md` describes each key.
package typealias PassagePlanFile = StudyPlan<PassageDesign>

/// What a reference is, and how it is aired.
package enum PassageKind: String, Codable, CodingKeyRepresentable, Hashable, Sendable, CaseIterable {
    /// A whole recording, aired in parts.
    case song
    /// An advertisement, cut from a recording.
    case spot
    /// A short cut of a recording.
    case jingle

    /// The key of a plan.
    var key: String { rawValue + "s" }
    package var isWholeRecording: Bool { self == .song }
}

/// The recording of a plan of passages.
package struct PassageDesign: PlanDesign {
    package var sampleRate: Int
    package var hours: Double
    package var airings: Int
    package var kinds: [PassageKind: Airings]
    package var between: Between
    package var crossfades: Portion
    package var voiceOver: VoiceOver
    package var chain: [DegradationTemplate]

    /// The references of one kind, and how they are aired.
    package struct Airings: Codable, Hashable, Sendable {
        package var references: Int
        /// The share of all airings.
        package var share: Double
        /// The length of an airing where the reference is a whole recording, else that of the reference.
        package var seconds: ClosedRange<Double>
        /// The share of airings that begin within the reference.
        package var cutShare: Double
        /// The pairs of references that begin with the same sound and end differently.
        package var twins: Int
        /// The share of airings that are faster or slower, half by speed and half by tempo.
        package var skewShare: Double
        package var skewPercent: ClosedRange<Double>
        /// The share of airings with a voice over a part of them.
        package var voiceOverShare: Double
    }

    /// What is between airings.
    package struct Between: Codable, Hashable, Sendable {
        /// The share of airings that follow another one at once.
        package var noneShare: Double
        package var music: Portion
        package var speech: Portion
        package var silence: Portion
    }

    /// A share of the pieces between airings, or of the crossfades, and how long they are.
    package struct Portion: Codable, Hashable, Sendable {
        package var share: Double
        package var seconds: ClosedRange<Double>
    }

    package struct VoiceOver: Codable, Hashable, Sendable {
        package var snrDecibels: Double
        package var duckDecibels: Double
        package var seconds: ClosedRange<Double>
    }
}

extension PassageDesign {
    package init(_ plan: YAMLMapping) throws {
        sampleRate = try plan.count("sampleRateHertz", in: 8000...48_000, default: 16_000)
        hours = try plan.double("hours")
        airings = try plan.count("airings", in: 1...1_000_000)
        var kinds: [PassageKind: Airings] = [:]
        for kind in PassageKind.allCases {
            if let airings = try plan.mapping(kind.key) { kinds[kind] = try Airings(airings, kind) }
        }
        self.kinds = kinds
        guard let between = try plan.mapping("between") else {
            throw plan.error("the key `between` is missing")
        }
        self.between = try Between(between)
        crossfades =
            try plan.mapping("crossfades").map { try Portion($0, in: 0...60) }
            ?? Portion(share: 0, seconds: 0...0)
        voiceOver =
            try plan.mapping("voiceOver").map(VoiceOver.init)
            ?? VoiceOver(snrDecibels: 0, duckDecibels: 10, seconds: 3...15)
        chain = try plan.list("chain").map { try PlanFile.FamilyReader.template($0, variables: [:]) }
        try plan.rejectUnknownKeys()
        try check(plan)
    }

    private func check(_ plan: YAMLMapping) throws {
        guard hours > 0, hours <= 1000 else {
            throw plan.error("`hours`: expected up to 1000, found \(hours)")
        }
        let shares = kinds.values.reduce(0) { $0 + $1.share }
        guard !kinds.isEmpty, abs(shares - 1) < 1e-6 else {
            throw plan.error(
                "the shares of \(PassageKind.allCases.map { "`\($0.key)`" }.joined(separator: ", ")) "
                    + "add up to \(shares); expected 1")
        }
        let fillings = between.music.share + between.speech.share + between.silence.share
        guard abs(fillings - 1) < 1e-6 else {
            throw plan.error("`between`: the shares add up to \(fillings); expected 1")
        }
        if let name = try Self.timeChange(in: chain) {
            throw plan.error("`chain`: \(name) changes times, which the whole recording cannot have")
        }
    }

    /// Reads a chain of the whole recording from a YAML list.
    package static func chain(text: String) throws -> [DegradationTemplate] {
        let chain = try PlanFile.chain(text: text)
        if let name = try timeChange(in: chain) {
            throw ConfigurationError(
                file: "chain", line: 1,
                message: "\(name) changes times, which the whole recording cannot have")
        }
        return chain
    }

    /// The name of a degradation that changes times.
    private static func timeChange(in chain: [DegradationTemplate]) throws -> String? {
        try chain.first { template in
            var generator = SeededGenerator(seed: 1)
            let step = try template.draw(using: &generator).value
            return step.sourceSecondsPerSecond != nil || type(of: step).movesEnds
        }?.name
    }
}

extension PassageDesign.Airings {
    fileprivate init(_ airings: YAMLMapping, _ kind: PassageKind) throws {
        references = try airings.count("references", in: 1...100_000)
        share = try airings.share("share")
        seconds = try airings.range("seconds", in: 0.5...3600)
        cutShare = try airings.share("cutShare")
        twins = try airings.count("twins", in: 0...references / 2, default: 0)
        skewShare = try airings.share("skewShare")
        skewPercent = try airings.range("skewPercent", in: -20...20, unit: "percent", default: -5...5)
        voiceOverShare = try airings.share("voiceOverShare")
        try airings.rejectUnknownKeys()
        if kind.isWholeRecording, twins > 0 {
            throw airings.error("`twins`: whole recordings have none")
        }
    }
}

extension PassageDesign.Between {
    fileprivate init(_ between: YAMLMapping) throws {
        noneShare = try between.share("noneShare")
        func filling(_ key: String) throws -> PassageDesign.Portion {
            try between.mapping(key).map { try .init($0, in: 0.5...600) } ?? .init(share: 0, seconds: 1...1)
        }
        music = try filling("music")
        speech = try filling("speech")
        silence = try filling("silence")
        try between.rejectUnknownKeys()
    }
}

extension PassageDesign.Portion {
    fileprivate init(_ portion: YAMLMapping, in seconds: ClosedRange<Double>) throws {
        share = try portion.share("share")
        self.seconds = try portion.range("seconds", in: seconds)
        try portion.rejectUnknownKeys()
    }
}

extension PassageDesign.VoiceOver {
    fileprivate init(_ voice: YAMLMapping) throws {
        snrDecibels = try voice.double("snrDecibels", default: 0)
        duckDecibels = try voice.double("duckDecibels", default: 10)
        seconds = try voice.range("seconds", in: 0.5...600)
        try voice.rejectUnknownKeys()
        let step = Degradations.VoiceOver(duckDecibels: duckDecibels, snrDecibels: snrDecibels, seed: 0)
        do { try step.validate() } catch let error as DegradationError {
            throw voice.error(error.description)
        }
    }
}

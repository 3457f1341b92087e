import Foundation

/// An experiment whose raw outcomes a ``StudyRun`` stores: a plan of trials, what is measured of each, and settings.
package protocol Study {
    associatedtype Settings: Codable

    /// The name of its command, or of the part of a command that it is.
    static var name: String { get }
    /// What a report needs beside the outcomes.
    var settings: Settings { get }
    /// What decides the outcomes, apart from the matcher.
    var identity: [String] { get throws }
    /// The number of trials in all shards.
    var trialCount: Int { get throws }
    /// The error for another study of this name in the folder at `path`; nil if both may stay there.
    func refusal(of other: RunFacts, in path: String) throws -> (any Error)?
}

extension Study {
    package func refusal(of other: RunFacts, in path: String) throws -> (any Error)? { nil }
}

extension RunFacts {
    init<Subject: Study>(_ study: Subject, origin: Provenance, shard: Shard?) throws {
        self.init(origin)
        self.study = StudySettings(name: Subject.name, settings: try study.settings.sortedJSON())
        self.trialCount = try study.trialCount
        self.shard = shard
    }

    /// The settings of a study.
    package func settings<Settings: Decodable>(as _: Settings.Type) throws -> Settings {
        try JSONDecoder().decode(Settings.self, from: Data((self.study?.settings ?? "").utf8))
    }
}

extension Encodable {
    /// JSON on one line with sorted keys; numbers that are not finite become text.
    package func sortedJSON() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

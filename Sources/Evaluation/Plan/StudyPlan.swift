import Corpora

/// What a study reads from its plan file besides the head.
package protocol PlanDesign: Codable, Hashable, Sendable {
    /// Reads the keys of the design; the head's have been read.
    init(_ plan: YAMLMapping) throws
}

/// A plan file of a study: a head and a design, coded as one mapping.
package struct StudyPlan<Design: PlanDesign>: PlanDocument, Hashable {
    package var head: PlanHead
    package private(set) var design: Design

    package init(_ reader: YAMLReader) throws {
        let plan = try reader.mapping()
        head = try PlanHead(plan, of: reader)
        design = try Design(plan)
    }

    package subscript<Value>(dynamicMember member: KeyPath<Design, Value>) -> Value {
        design[keyPath: member]
    }

    /// Replaces a value of the design, which changes the digest; nil keeps it.
    package mutating func replace<Value>(
        _ name: String, _ member: WritableKeyPath<Design, Value>, by value: Value?
    ) {
        guard let value else { return }
        design[keyPath: member] = value
        head.note(["\(name) \(value)"])
    }

    /// Replaces corpus, half and seed by those of a request, which changes the digest.
    mutating func replace(by request: RunRequest) {
        if let corpus = request.corpusName {
            head.corpus = corpus
            head.note(["corpus \(corpus)"])
        }
        if let half = request.half {
            head.half = half
            head.note(["half \(half)"])
        }
        if let seed = request.seed {
            head.seed = seed
            head.note(["seed \(seed)"])
        }
    }

    /// The plan without its path, name and digest, which decide no sample, as JSON.
    package func content() throws -> String {
        var plan = self
        (plan.head.path, plan.head.digest, plan.head.name) = ("", "", "")
        return try plan.sortedJSON()
    }

    /// The plan without its path, which may differ between machines.
    package var portable: Self {
        var plan = self
        plan.head.path = ""
        return plan
    }

    package func error(_ message: String) -> ConfigurationError {
        ConfigurationError(file: head.path, line: nil, message: message)
    }
}

extension StudyPlan: Codable {
    package init(from decoder: any Decoder) throws {
        head = try PlanHead(from: decoder)
        design = try Design(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try head.encode(to: encoder)
        try design.encode(to: encoder)
    }
}

extension RunRequest {
    /// Reads the plan of a study with the values of this request in place of its own, and opens its corpus.
    ///
    /// - Parameter change: replaces values of the design.
    package func open<Design: PlanDesign>(
        _: StudyPlan<Design>.Type, in library: CorpusLibrary,
        changing change: (inout StudyPlan<Design>) throws -> Void
    ) throws -> (plan: StudyPlan<Design>, opened: OpenedCorpus) {
        var file = try StudyPlan<Design>(path: library.planPath(plan))
        file.replace(by: self)
        try change(&file)
        return (file, try openCorpus(in: library, of: file.head))
    }
}

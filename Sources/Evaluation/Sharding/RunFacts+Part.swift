extension RunFacts {
    package struct Part: Codable, Hashable, Sendable {
        package var machine: Machine
        package var shards: [Int]
        /// The wall time of these shards, one after the other, in seconds.
        package var wallSeconds: Double
        package var longestSeconds: Double

        package init(machine: Machine, shards: [Int], wallSeconds: Double, longestSeconds: Double) {
            self.machine = machine
            self.shards = shards
            self.wallSeconds = wallSeconds
            self.longestSeconds = longestSeconds
        }
    }

    /// The facts without time, place and speed: equal runs have equal ones.
    public var withoutCircumstances: RunFacts {
        var facts = self
        facts.provenance = provenance.withoutCircumstances
        facts.mergedFrom = nil
        facts.wallSeconds = 0
        facts.jobs = 0
        facts.enrolSeconds = 0
        facts.decodeSecondsTotal = 0
        facts.decodedAudioSeconds = 0
        facts.stageSeconds = nil
        facts.stageTrialCount = nil
        facts.cost = nil
        return facts
    }
}

extension RunFacts.Machine {
    /// The model of the processor.
    ///
    /// Samples and answers are equal to the last bit on one model only.
    package var processorType: String {
        [processor, revision.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
    }

    /// Whether code that selects its instructions by the processor selects the same on both.
    package func isAlike(_ other: RunFacts.Machine) -> Bool {
        processorType == other.processorType && features == other.features
    }
}

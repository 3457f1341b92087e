extension RunFacts {
    package struct Part: Codable, Hashable, Sendable {
        package var machine: Machine
        package var shards: [Int]
        /// How long these shards took by the clock, one after the other, in seconds.
        package var wallSeconds: Double
        package var longestSeconds: Double

        package init(machine: Machine, shards: [Int], wallSeconds: Double, longestSeconds: Double) {
            self.machine = machine
            self.shards = shards
            self.wallSeconds = wallSeconds
            self.longestSeconds = longestSeconds
        }
    }

    /// The facts without when, where and how fast: equal runs have equal ones.
    ///
    /// What had a hand in the samples and answers stays: plan, corpus, matcher, commit, libraries.
    package var withoutCircumstances: RunFacts {
        var facts = self
        facts.planPath = planPath.split(separator: "/").last.map(String.init) ?? ""
        facts.machine = Machine(
            processor: "", logicalCores: 0, memoryBytes: 0, operatingSystem: "", kernel: "")
        facts.mergedFrom = nil
        facts.startedAt = ""
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
    /// What it calls its type of processor: samples and answers are the same to the last bit on one type only.
    package var processorType: String {
        [processor, revision.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
    }

    /// Whether code that chooses its instructions by the processor chooses the same on both.
    package func isAlike(_ other: RunFacts.Machine) -> Bool {
        processorType == other.processorType && features == other.features
    }
}

extension TrialRecord {
    /// The record without what the latency pass measured.
    package var withoutLatency: TrialRecord {
        var record = self
        record.matchMilliseconds = nil
        record.processorMilliseconds = nil
        record.calibrationMilliseconds = nil
        return record
    }
}

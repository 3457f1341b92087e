import AudioCore
import Corpora
import Degradations
import Evaluation
import Foundation
import TestSupport
import Testing

/// Degradations of a program become conditions of a plan.
@Suite struct OwnDegradationTests {
    private let text = """
        name: own
        seed: 1
        half: test
        positives: 1
        negatives: 1
        lengthSeconds: 3
        families:
          - {name: clean}
          - {name: placed, chain: [{speed: {percent: 2}}, {program: {name: tremolo, severity: 0.1}}]}
        """

    private func file(_ offered: [OfferedDegradation], chain: String? = nil) throws -> PlanFile {
        var program = DegradationRequest(command: "mine")
        program.offered = offered
        var file = try PlanFile(text: text, name: "own.yaml")
        try file.add(program, chain: chain)
        return file
    }

    private let tremolo = OfferedDegradation(name: "tremolo", version: "a1", severities: [0.5, -2])

    @Test func eachSeverityIsAConditionAndAnEmptyListIsNone() throws {
        let hidden = OfferedDegradation(name: "hidden", version: "h1", severities: [])
        let plain = OfferedDegradation(name: "my $plain: effect", version: "p1")
        let file = try file(
            [tremolo, hidden, plain], chain: "[{program: {name: hidden}}, {gain: {decibels: -3}}]")
        let cells = file.families.dropFirst(2).flatMap(\.members).map(\.cell.slug)
        #expect(cells == ["tremolo/+0.5/3s", "tremolo/-2/3s", "my-plain-effect/3s", "chain/3s"])
        let steps = file.families.flatMap(\.members).flatMap(\.chain).filter { $0.name == "program" }
        #expect(
            try steps.map { step in
                guard case .object(let values) = step.parameters,
                    case .string(let version)? = values["version"]
                else { return "" }
                return version
            } == ["a1", "a1", "a1", "p1", "h1"])
    }

    @Test func aChangedVersionIsAnotherPlan() throws {
        var other = tremolo
        other.version = "a2"
        let digests = [
            try file([tremolo]).head.digest, try file([other]).head.digest,
            try file([tremolo], chain: "[]").head.digest,
        ]
        #expect(Set(digests).count == 3)
        #expect(try file([tremolo]).head.digest == digests[0])
    }

    @Test func aStepThatNoProgramOffersIsRefused() throws {
        for offered in [[], [OfferedDegradation(name: "tremola", version: "1")]] {
            let error = #expect(throws: ConfigurationError.self) { try file(offered) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("there is no degradation called \"tremolo\""))
        }
    }

    @Test func aStoredCommandIsNotStarted() throws {
        let unnamed = UnnamedDegradations(command: "rm -r everything")
        let audio = TestSignals.noise(seed: 1, seconds: 0.1, sampleRate: 8000)
        let error = #expect(throws: DegradationsNotNamed.self) {
            try unnamed.degrade(audio, by: "tremolo", version: "a1", severity: nil, seed: 1)
        }
        #expect(error?.description.contains("`rm -r everything`") == true)
    }
}

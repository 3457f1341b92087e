import AudioCore
import AudioIO
import Foundation
import TestSupport
import Testing

/// Two runs of one plan between which a file of a degradation was replaced.
@Suite struct OtherQueriesTests {
    @Test func runsOfOtherQueriesAreNeitherResumedNorJudged() throws {
        let folder = try TemporaryFolder()
        let plan = folder.file("hall.yaml")
        let response = folder.file("response.wav")
        try """
        name: hall
        corpus: synthetic
        seed: 5
        positives: 2
        negatives: 1
        lengthSeconds: 3
        latencyTrials: 0
        families:
          - name: clean
          - {name: hall, chain: [{impulseResponse: {path: \(response)}}]}
        """.write(toFile: plan, atomically: true, encoding: .utf8)
        try "rules: [{measure: recall, noLossBeyond: 0.02}]"
            .write(toFile: folder.file("rules.yaml"), atomically: true, encoding: .utf8)
        let environment = ["XDG_CACHE_HOME": folder.file("cache")]
        func evaluate(_ output: String) throws -> EarshotProcess {
            let run = try EarshotProcess(
                "evaluate", "--plan", plan, "--matcher", "oracle", "--details", "0", "--output",
                folder.file(output),
                environment: environment)
            #expect(run.status == 0, "\(run.errors)")
            return run
        }
        func write(_ samples: [Float]) throws {
            let encoding = try #require(AudioEncoding("wav-float"))
            try AudioFile.write(AudioBuffer(samples: samples, sampleRate: 44_100), to: response, as: encoding)
        }

        try write([1])
        _ = try evaluate("dry")
        let baseline = folder.file("baseline.json")
        let accepted = try EarshotProcess("baseline", "accept", folder.file("dry"), "--name", baseline)
        #expect(accepted.status == 0, "\(accepted.errors)")
        var generator = SeededGenerator(seed: 1)
        try write((0..<88_200).map { _ in Float(generator.unit() - 0.5) })
        _ = try evaluate("wet")
        // The run of the old response is neither reported again nor resumed.
        #expect(!(try evaluate("dry").errors.contains("already")))

        let words = "other queries in 1 cell (hall, 3 s)"
        let gate = try EarshotProcess(
            "gate", folder.file("wet"), "--rules", folder.file("rules.yaml"), "--baseline", baseline)
        #expect(gate.status == 5 && gate.errors.contains(words), "\(gate.output)\(gate.errors)")
        try write([1])
        _ = try evaluate("dry once more")
        // In place of a file, standard output holds the findings and nothing else.
        let printed = try EarshotProcess(
            "gate", folder.file("dry once more"), "--rules", folder.file("rules.yaml"), "--baseline",
            baseline,
            "--json", "-"
        )
        let findings = try JSONSerialization.jsonObject(with: Data(printed.output.utf8))
        #expect((findings as? [String: Any])?["findings"] != nil, "\(printed.output)\(printed.errors)")
        let compare = try EarshotProcess("compare", folder.file("dry once more"), folder.file("wet"))
        #expect(compare.status == 5 && compare.errors.contains(words), "\(compare.output)\(compare.errors)")
    }
}

import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Testing

@Suite struct RunRequestTests {
    @Test func everyFieldIsStored() throws {
        var limits = MatcherRequest.Limits()
        limits.querySeconds = 3
        let request = RunRequest(
            plan: "p", recorded: .init(list: "l", references: "r", referenceList: "n", queryFolder: "q"),
            corpus: "c", folder: "f", isUndivided: true, half: .tuning, seed: 1, positives: 2, negatives: 3,
            negativeFolds: 4, startShift: 5, queries: 6, axes: ["a"],
            degradations: DegradationRequest(command: "d", limitSeconds: 7, variables: ["V"]), chain: "[]",
            recipeFolder: "x",
            matcher: MatcherRequest(
                name: "null", settings: [.init(name: "s", value: 0.1)],
                program: .init(command: "run me", limits: limits)))
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(RunRequest.self, from: data) == request)
        #expect(Mirror(reflecting: request).children.allSatisfy { "\($0.value)" != "nil" })
    }

    @Test func aFolderIsNeverTakenForTheNameOfACorpus() {
        #expect(RunRequest(folder: "mine").corpusName == "./mine")
        #expect(RunRequest(folder: "a/b").corpusName == "a/b")
        #expect(RunRequest(corpus: "games").corpusName == "games")
        #expect(RunRequest().corpusName == nil)
    }

    @Test func aStoredProgramNeedsTheUsersWord() throws {
        let request = MatcherRequest(program: .init(command: "false"))
        #expect(throws: ProgramNotNamed.self) { try request.contestant(allowing: nil) }
        #expect(throws: ProgramNotNamed.self) { try request.contestant(allowing: "true") }
        #expect(try request.contestant(allowing: "false").name == "false")
        #expect(try MatcherRequest().contestant(allowing: nil).name == "earshot")
        #expect(throws: UnknownMatcher.self) { try MatcherRequest(name: "nobody").contestant() }
    }
}

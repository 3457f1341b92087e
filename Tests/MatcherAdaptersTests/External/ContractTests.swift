import AudioCore
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// The numbers of the contract, and the requests that adapters since 0.1.0 get.
@Suite struct ContractTests {
    /// An adapter that stores its requests in `log`.
    private struct Logger {
        let folder: TemporaryFolder
        let matcher: ExternalMatcher
        var log: String { folder.file("log") }
    }

    private func logger(protocol number: Int, operations: [String]?) throws -> Logger {
        let folder = try TemporaryFolder()
        let script = folder.file("adapter.py")
        try #"""
        import json, sys
        for line in sys.stdin:
            open(sys.argv[2], "a").write(line)
            ask = json.loads(line)
            answer = {"query": ask.get("query"), "answers": []} if "query" in ask else {"ok": True}
            if ask["op"] == "hello":
                answer = {"protocol": int(sys.argv[1]), "name": "logger", "version": "1"}
                if sys.argv[3:]: answer["operations"] = sys.argv[3:]
            print(json.dumps(answer), flush=True)
        """#.write(toFile: script, atomically: true, encoding: .utf8)
        let words = ["python3", script, "\(number)", folder.file("log")] + (operations ?? [])
        return Logger(
            folder: folder, matcher: try ExternalMatcher(ExternalCommand(words.joined(separator: " "))))
    }

    /// The requests that an adapter of a protocol gets, by operation.
    private func requests(protocol number: Int, operations: [String]? = nil) throws -> [String: Set<String>] {
        let logger = try logger(protocol: number, operations: operations)
        let matcher = logger.matcher
        defer { matcher.end() }
        let audio = AudioBuffer(samples: [Float](repeating: 0.1, count: 8000), sampleRate: 8000)
        try matcher.enrol(id: "a", audio: audio)
        _ = try matcher.finishEnrolment()
        _ = try matcher.identify(Query(name: "q", audio: audio))
        return try Self.keys(of: logger.log)
    }

    private static func keys(of path: String) throws -> [String: Set<String>] {
        var keys: [String: Set<String>] = [:]
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let request = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
            keys[request["op"] as? String ?? ""] = Set(request.keys)
        }
        return keys
    }

    /// An adapter gets what the judge of its day asked, and no more but the newest protocol.
    @Test(arguments: 1...3) func theRequestsOfAProtocolStay(number: Int) throws {
        let golden = try Self.keys(
            of: PackageFolder.path + "/Tests/MatcherAdaptersTests/Golden/requests-1.jsonl")
        for (operation, keys) in try requests(protocol: number) {
            let added: Set<String> = operation == "hello" ? ["newest"] : []
            #expect(golden[operation]?.union(added) == keys, "\(operation)")
        }
    }

    @Test(arguments: [-1, 0, 4, 1 << 32 - 1]) func anotherProtocolIsRefused(number: Int) throws {
        let error = #expect(throws: ExternalMatcherError.self) { _ = try requests(protocol: number) }
        let words = "speaks protocol \(number); Earshot \(Release.number) speaks 1 to 3"
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        (3, ["explian"], "names 'explian'; expected passages or explain. Did you mean \"explain\"?"),
        (3, ["passages", "x"], "names 'x'; expected passages or explain"),
        (2, ["passages"], "is there in protocol 2; expected protocol 3"),
    ])
    func otherOperationsAreRefused(number: Int, operations: [String], words: String) throws {
        let error = #expect(throws: ExternalMatcherError.self) {
            _ = try requests(protocol: number, operations: operations)
        }
        #expect(error?.description.contains("`operations` \(words)") == true, "\(error?.description ?? "")")
    }

    @Test func anAdapterOfProtocolThreeHasTheOperationsThatItNames() throws {
        for (number, operations, finds) in [
            (1, nil, false), (2, nil, true), (3, nil, false), (3, ["explain"], false),
            (3, ["explain", "passages"], true),
        ] as [(Int, [String]?, Bool)] {
            let matcher = try logger(protocol: number, operations: operations).matcher
            #expect((matcher.powers.startPassages != nil) == finds, "\(number)")
            matcher.end()
        }
    }
}

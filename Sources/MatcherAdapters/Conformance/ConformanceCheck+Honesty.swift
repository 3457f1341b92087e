import AudioCore
import Evaluation
import Foundation
import Matchers

extension ConformanceCheck {
    /// The same queries give the same answers: again, in another process, after another order of enrolment.
    func checkSameness(as answers: [[Candidate]?]) {
        compare("twice the same", with: answers) { try adapter() }
        compare("another process", with: answers) {
            let adapter = try AdapterConversation(command, limits: limits)
            try adapter.learn(references()) { Self.opaque("r", $0) }
            return adapter
        }
        compare("other order of enrolment", with: answers) {
            let adapter = try AdapterConversation(command, limits: limits)
            try adapter.learn(references().reversed()) { Self.opaque("r", $0) }
            return adapter
        }
    }

    /// The same samples give the same answers whatever they are called, wherever and however old their files are.
    func checkNames(as answers: [[Candidate]?]) {
        let old = Date(timeIntervalSince1970: 86_400 * 365)
        compare(
            "other names and dates", with: answers, modified: old,
            named: { Self.opaque("q", $0, world: "two") }
        ) {
            let adapter = try AdapterConversation(command, limits: limits)
            try adapter.learn(references(), modified: old) { Self.opaque("r", $0, world: "two") }
            return adapter
        }
        // Query k is named after reference k + 1, in its path as well.
        compare(
            "names that lie", with: answers, named: { Self.opaque("r", ($0 + 1) % CheckMusic.referenceCount) }
        ) {
            try adapter()
        }
    }

    private func compare(
        _ check: String, with answers: [[Candidate]?], modified: Date? = nil,
        named name: (Int) -> String = { ConformanceCheck.opaque("q", $0) },
        _ make: () throws -> AdapterConversation
    ) {
        do {
            let adapter = try make()
            var differing: [String] = []
            for (number, question) in music.clean.enumerated() {
                guard let earlier = answers[number] else { continue }
                let reply = try adapter.identify(question.audio, as: name(number), modified: modified)
                if reply != earlier {
                    differing.append("\(Self.words(reply)) instead of \(Self.words(earlier))")
                }
            }
            note(
                differing.isEmpty ? .pass : .fail, check,
                differing.first.map { "\(differing.count) answers differ, one says \($0)" }
                    ?? "the same answers",
                expected: differing.isEmpty ? "" : "the same answers to the same samples")
        } catch {
            note(error, in: check)
        }
    }

    /// A process that was taught other references knows nothing of those that an earlier one was taught.
    func checkForgetting() {
        do {
            let adapter = try AdapterConversation(command, limits: limits)
            let known = Array(references().prefix(2))
            try adapter.learn(known) { Self.opaque("r", $0, world: "three") }
            var claims = 0
            for (number, question) in music.clean.enumerated().dropFirst(2) {
                let reply = try adapter.identify(
                    question.audio, as: Self.opaque("q", number, world: "three"))
                claims += reply.claim == nil ? 0 : 1
            }
            let count = music.clean.count - 2
            note(
                claims == 0 ? .pass : .warn, "processes apart",
                "accepts \(claims) of \(count) queries of what another process was taught",
                expected: claims == 0 ? "" : "none")
        } catch {
            note(error, in: "processes apart")
        }
    }

    private static func words(_ reply: [Candidate]) -> String {
        let answers = reply.prefix(2).map {
            "\($0.referenceID) at \(rounded($0.offsetSeconds)) s with \($0.score)"
        }
        return answers.isEmpty ? "nothing" : answers.joined(separator: ", ")
    }
}

/// The folders in which a program might leave something, as they were.
struct SharedPlaces {
    private let before: [String: Set<String>]

    init(_ command: ExternalCommand) {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let programs = command.resolvedWords.filter { $0.hasPrefix("/") }
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let folders = [home, home + "/.cache", home + "/.config", "/tmp", "/var/tmp"] + programs
        before = Dictionary(folders.map { ($0, Self.names(in: $0)) }, uniquingKeysWith: { $1 })
    }

    /// What is there now and was not before; another program may have put it there.
    func news() -> [String] {
        before.flatMap { folder, names in
            Self.names(in: folder).subtracting(names).map { "\(folder)/\($0)" }
        }.filter { !$0.contains("/earshot-adapter-") }.sorted()
    }

    private static func names(in folder: String) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }
}

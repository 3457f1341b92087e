import AudioCore
import Evaluation
import Foundation
import Matchers

/// Tries an adapter against the contract on music made by a formula, and says what it found check by check.
package final class ConformanceCheck {
    let command: ExternalCommand
    let limits: ExternalLimits
    let music: CheckMusic
    private let report: (CheckFinding) -> Void
    private var findings: [CheckFinding] = []
    /// The adapter that most checks talk to; made anew when a check has killed it.
    private var current: AdapterConversation?

    /// Prepares checks.
    ///
    /// - Parameter report: is told each finding as it is made.
    package init(
        _ command: ExternalCommand, limits: ExternalLimits, report: @escaping (CheckFinding) -> Void
    ) throws {
        self.command = command
        self.limits = limits
        self.report = report
        music = try CheckMusic()
    }

    /// Runs all checks, but where the adapter cannot even be taught.
    package func run() -> [CheckFinding] {
        let before = SharedPlaces(command)
        guard checkStart() else { return findings }
        let answers = checkAnswers()
        checkSkews()
        checkSameness(as: answers)
        checkNames(as: answers)
        checkForgetting()
        checkOddQueries(of: music.clean[found(in: answers) ?? 0])
        checkUnreadable()
        checkExit()
        let left = before.news()
        note(
            left.isEmpty ? .pass : .warn, "leaves nothing behind",
            left.isEmpty
                ? "nothing new in home, temporary and own folder"
                : "\(left.count) new, perhaps by another program: \(left.prefix(5).joined(separator: ", "))")
        return findings
    }

    func note(_ verdict: CheckFinding.Verdict, _ check: String, _ seen: String, expected: String = "") {
        let finding = CheckFinding(verdict, check, seen, expected: expected)
        findings.append(finding)
        report(finding)
    }

    func note(_ error: any Error, in check: String) { note(.fail, check, "\(error)") }

    func adapter() throws -> AdapterConversation {
        if let current, current.isAlive { return current }
        let adapter = try AdapterConversation(command, limits: limits)
        try adapter.learn(references()) { Self.opaque("r", $0) }
        current = adapter
        return adapter
    }

    func references() -> [(number: Int, audio: AudioBuffer)] {
        music.references.enumerated().map { ($0.offset, $0.element) }
    }

    private func found(in answers: [[Candidate]?]) -> Int? {
        answers.indices.first { answers[$0]?.claim?.referenceID == String($0) }
    }

    func drop() { current = nil }

    /// A name without meaning.
    static func opaque(_ prefix: String, _ number: Int, world: String = "one") -> String {
        prefix + String(StableHash.of(world, prefix, String(number)), radix: 16)
    }

    private func checkStart() -> Bool {
        do {
            let adapter = try AdapterConversation(command, limits: limits)
            let settings = (adapter.hello.settings ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.text)" }
            note(
                .pass, "hello",
                "\(adapter.hello.name) \(adapter.hello.version)" + settings.map { " \($0)" }.joined())
            let slow = adapter.startMilliseconds > limits.helloSeconds * 500
            note(
                slow ? .warn : .pass, "start",
                "hello after \(Int(adapter.startMilliseconds)) ms of \(Int(limits.helloSeconds * 1000)) allowed"
            )
            let spent = adapter.process.tree.processorSeconds
            let indexBytes = try adapter.learn(references()) { Self.opaque("r", $0) }
            let seconds = Double(CheckMusic.referenceCount) * CheckMusic.referenceSeconds
            let rate = adapter.process.tree.processorSeconds.flatMap { now in
                spent.map { "\(Int(seconds / max(0.01, now - $0))) audio seconds per processor second" }
            }
            note(
                .pass, "enrol and ready",
                "\(CheckMusic.referenceCount) references, \(rate ?? "processor time unknown")")
            note(
                indexBytes == nil ? .warn : .pass, "index size",
                indexBytes.map { "\($0) bytes" } ?? "not stated")
            current = adapter
            return true
        } catch {
            note(error, in: "hello, enrol and ready")
            return false
        }
    }
}

extension AdapterConversation {
    /// Has it learn references under the names that `name` gives their numbers, in this order.
    ///
    /// - Returns: what it says of the size of its index.
    @discardableResult
    func learn(
        _ references: [(number: Int, audio: AudioBuffer)], modified: Date? = nil, name: (Int) -> String
    ) throws -> Int? {
        for (number, audio) in references {
            try enrol(audio, id: String(number), as: name(number), modified: modified)
        }
        return try ready()
    }
}

extension [Candidate] {
    var claim: Candidate? { first(where: \.isAccepted) }
}

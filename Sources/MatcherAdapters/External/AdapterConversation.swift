import AudioCore
import Foundation
import Matchers
import SystemIO

/// Asks a running adapter the questions of the contract, and reads the answers strictly.
///
/// A fatal error kills the adapter with all its children; the conversation cannot continue.
final class AdapterConversation {
    let hello: HelloAnswer
    /// Milliseconds from the start to the answer to `hello`.
    let startMilliseconds: Double
    let process: AdapterProcess
    private let limits: ExternalLimits
    private var references: [String: String] = [:]
    private var isLost = false
    /// Processor seconds at the time it was killed.
    private var spentSeconds: Double?

    init(_ command: ExternalCommand, limits: ExternalLimits) throws {
        self.limits = limits
        if let absence = command.absence {
            throw ExternalMatcherError("`\(command.text)`: \(absence)", isFatal: true)
        }
        let clock = ContinuousClock()
        let start = clock.now
        process = try AdapterProcess(words: command.resolvedWords, limits: limits)
        do {
            let line = try process.ask(
                AdapterRequest(op: "hello", protocol: 1, newest: HelloAnswer.protocols.upperBound).line(),
                within: limits.helloSeconds, for: "hello")
            startMilliseconds = (clock.now - start) / .milliseconds(1)
            hello = try AdapterReply.read(line, as: HelloAnswer.self)
            try hello.check()
        } catch let error as ExternalMatcherError {
            let end = "\(process.kill())\(process.lastWords)"
            let advice = command.advice.map { ". \($0)" } ?? ""
            throw ExternalMatcherError(
                Self.timeless("`\(command.text)` \(error); \(end)\(advice)", process), isFatal: true)
        }
    }

    var isAlive: Bool { !isLost && !process.hasExited }

    /// Processor seconds of all its processes, also after it was killed; nil where they are not known.
    var processorSeconds: Double? { spentSeconds ?? process.tree.processorSeconds }

    /// Enrols a recording, `id` in the judge, under a name.
    ///
    /// - Parameter modified: The modification time of the file.
    func enrol(_ audio: AudioBuffer, id: String, as name: String, modified: Date? = nil) throws {
        try withFile(name, of: audio, modified: modified) { path in
            let request = AdapterRequest(op: "enrol", id: name, path: path)
            try ask(request, limits.enrolSeconds, "a reference", as: DoneAnswer.self).check()
        }
        references[name] = id
    }

    func ready() throws -> Int? {
        let answer = try ask(AdapterRequest(op: "ready"), limits.readySeconds, "ready", as: DoneAnswer.self)
        try answer.check()
        return answer.indexBytes
    }

    func identifyTimed(_ audio: AudioBuffer, as name: String) throws -> TimedAnswers {
        try withFile(name, of: audio, modified: nil) { path in
            let spent = processorSeconds
            let clock = ContinuousClock()
            let start = clock.now
            let candidates = try identify(path: path, as: name)
            let milliseconds = (clock.now - start) / .milliseconds(1)
            let processor = processorSeconds.flatMap { now in spent.map { max(0, now - $0) * 1000 } }
            return TimedAnswers(
                candidates: candidates, milliseconds: milliseconds, processorMilliseconds: processor)
        }
    }

    func identify(_ audio: AudioBuffer, as name: String, modified: Date? = nil) throws -> [Candidate] {
        try withFile(name, of: audio, modified: modified) { try identify(path: $0, as: name) }
    }

    /// Asks about the file at a path, whatever it is.
    func identify(path: String, as name: String) throws -> [Candidate] {
        let request = AdapterRequest(op: "identify", query: name, path: path)
        let answer = try ask(request, limits.querySeconds, "a query", as: IdentifyAnswer.self)
        try check(answer.query, is: name)
        return try answer.candidates(names: references)
    }

    /// Asks for all passages of a file of some seconds; the adapter may take as long as it plays.
    func passages(path: String, seconds: Double, as name: String) throws -> [Passage] {
        let request = AdapterRequest(op: "passages", query: name, path: path)
        let answer = try ask(
            request, max(limits.querySeconds, seconds), "the passages of a recording", as: PassagesAnswer.self
        )
        try check(answer.query, is: name)
        return try answer.passages(names: references)
    }

    func passages(in audio: AudioBuffer, as name: String) throws -> [Passage] {
        try withFile(name, of: audio, modified: nil) {
            try passages(path: $0, seconds: audio.durationSeconds, as: name)
        }
    }

    private func check(_ query: String, is name: String) throws {
        guard query == name else {
            throw lost("answered query '\(VisibleText.quoted(query))' when '\(name)' was asked")
        }
    }

    private func ask<Answer: Decodable>(
        _ request: AdapterRequest, _ seconds: Double, _ what: String, as type: Answer.Type
    ) throws -> Answer {
        do {
            return try AdapterReply.read(process.ask(request.line(), within: seconds, for: what), as: type)
        } catch let error as ExternalMatcherError where error.isFatal {
            throw lost(error.description)
        } catch let error as ExternalMatcherError {
            throw ExternalMatcherError(Self.timeless(error.description, process))
        }
    }

    private func lost(_ message: String) -> ExternalMatcherError {
        isLost = true
        spentSeconds = process.tree.processorSeconds
        process.notePeak()
        return ExternalMatcherError(
            Self.timeless("\(message); \(process.kill())\(process.lastWords)", process), isFatal: true)
    }

    /// Replaces the name of the temporary folder, so that messages are the same in every run.
    private static func timeless(_ message: String, _ process: AdapterProcess) -> String {
        message.replacing(process.folder.path, with: "FOLDER")
    }

    private func withFile<T>(
        _ name: String, of audio: AudioBuffer, modified: Date?, _ body: (String) throws -> T
    ) throws -> T {
        try process.folder.withFile(name, of: audio) { path in
            if let modified {
                try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
            }
            return try body(path)
        }
    }
}

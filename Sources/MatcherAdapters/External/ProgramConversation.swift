import Foundation
import Matchers
import SystemIO

/// Asks a running program one question after the other, and reads each answer strictly.
///
/// A fatal error kills the program with all its children; the conversation cannot continue.
final class ProgramConversation {
    let process: AdapterProcess
    let limits: ExternalLimits
    private var isLost = false
    /// The name of the file that it was last given.
    private var given: String?
    /// Processor seconds at the time it was killed.
    private var spentSeconds: Double?

    /// Starts a program and asks what it is.
    ///
    /// - Throws: ``ExternalMatcherError``, also if `check` throws one.
    static func start<Hello: Decodable>(
        _ command: ExternalCommand, limits: ExternalLimits, hello request: AdapterRequest,
        as type: Hello.Type,
        check: (Hello) throws -> Void
    ) throws -> (conversation: ProgramConversation, hello: Hello) {
        if let absence = command.absence {
            throw ExternalMatcherError("`\(command.text)`: \(absence)", isFatal: true)
        }
        let process = try AdapterProcess(
            words: command.resolvedWords, variables: command.variables, limits: limits)
        do {
            let line = try process.ask(request.line(), within: limits.helloSeconds, for: "hello")
            let hello = try AdapterReply.read(line, as: type)
            try check(hello)
            return (ProgramConversation(process, limits), hello)
        } catch let error as ExternalMatcherError {
            let end = "\(process.kill())\(process.lastWords)"
            let advice = command.advice.map { ". \($0)" } ?? ""
            throw ExternalMatcherError(
                "`\(command.text)` \(error); \(end)\(advice)".replacing(process.folder.path, with: "FOLDER"),
                isFatal: true, isFromOutside: error.isFromOutside)
        }
    }

    private init(_ process: AdapterProcess, _ limits: ExternalLimits) {
        self.process = process
        self.limits = limits
    }

    var isAlive: Bool { !isLost && !process.hasExited }

    /// Processor seconds of all its processes, also after it was killed; nil where they are not known.
    var processorSeconds: Double? { spentSeconds ?? process.tree.processorSeconds }

    func ask<Answer: Decodable>(
        _ request: AdapterRequest, _ seconds: Double, _ what: String, as type: Answer.Type,
        lineBytes: Int? = nil
    ) throws -> Answer {
        do {
            return try AdapterReply.read(
                process.ask(request.line(), within: seconds, for: what, lineBytes: lineBytes), as: type)
        } catch let error as ExternalMatcherError where error.isFatal {
            throw lost(error.description, isFromOutside: error.isFromOutside)
        } catch let error as ExternalMatcherError {
            throw ExternalMatcherError(timeless(error.description))
        }
    }

    /// Kills the program; returns the error with the end of the program in words.
    func lost(_ message: String, isFromOutside: Bool = false) -> ExternalMatcherError {
        isLost = true
        spentSeconds = process.tree.processorSeconds
        process.notePeak()
        return ExternalMatcherError(
            timeless("\(message); \(process.kill())\(process.lastWords)"), isFatal: true,
            isFromOutside: isFromOutside)
    }

    /// Names the file of the next question, whose name no message repeats.
    func give(_ name: String) { given = name }

    /// Replaces the names of the temporary folder and of the file, so that messages are the same in every run.
    func timeless(_ message: String) -> String {
        let message = message.replacing(process.folder.path, with: "FOLDER")
        return given.map { message.replacing($0, with: "FILE") } ?? message
    }
}

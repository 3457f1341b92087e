import ArgumentParser
import AudioIO
import Foundation
import SystemIO

/// How audio files are read.
struct ReadingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The audio track to read, from 1. (default: all tracks, mixed)",
            discussion: "A warning says when tracks are mixed, such as the languages of a film."))
    var track: Int?
    @Flag(help: "Refuse damaged audio. Without this option a warning names the place.")
    var strict = false
    @OptionGroup var decoding: SandboxOptions

    func validate() throws { try require("--track", track, in: 1...32) }

    /// Warns that tracks of the file at `path` are mixed or cannot be read, and of its damage.
    /// - Throws: `AudioFileError` for damage with `strict`.
    func note(_ remark: String?, _ damage: AudioDamage?, of path: String) throws {
        if let remark { StandardError.warn("\(path): \(remark)") }
        guard let damage else { return }
        if strict { throw damage.error(path: path) }
        StandardError.warn("\(path): \(damage)")
    }
}

/// Where files of others are read.
struct SandboxOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Read audio files and their tags in processes that can do nothing else.",
            discussion: """
                The kernel limits their memory and time, and refuses files, network and programs. A file that crashes, stops \
                or fills its decoder is an error, and the command continues with the other files. Without, this process \
                reads them.
                """))
    var sandbox = true
}

/// A command that decodes files of others.
protocol DecodingCommand {
    var decoding: SandboxOptions { get }
}

/// What to do when some of many files fail.
struct BatchOptions: ParsableArguments {
    @Flag(help: "Write nothing if a file fails. Without this option the others are written.")
    var allOrNothing = false
}

/// The errors of files that failed, which are named after the work on the others.
struct FailedFiles {
    private(set) var errors: [any Error]
    private let isFatal: Bool

    /// - Parameter options: nil for a command that always goes on.
    init(_ errors: [any Error] = [], options: BatchOptions? = nil) {
        self.errors = errors
        isFatal = options?.allOrNothing ?? false
    }

    /// Keeps the error.
    /// - Throws: It, with `--all-or-nothing`.
    mutating func append(_ error: any Error) throws {
        if isFatal { throw error }
        errors.append(error)
    }

    /// Ends the command if nothing but failures is left.
    /// - Throws: The errors, as ``report()`` does.
    func require(_ isSomethingLeft: Bool) throws {
        if isSomethingLeft { return }
        if errors.count == 1 { throw errors[0] }
        try report()
    }

    /// Names the files.
    /// - Throws: Exit code 1 if there are any.
    func report() throws {
        guard !errors.isEmpty else { return }
        for error in errors { StandardError.print("Error: " + Advice.text(error)) }
        StandardError.print("\(errors.count.counting("file")) failed")
        throw ExitCode(1)
    }
}

/// How much a command says of the files in folders.
struct FolderSearchOptions: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "List the files of folders that are skipped, and the references that are made.")
    var verbose = false

    /// Warns of what the search of a folder passed over.
    func note(_ leftOut: [FolderListing.LeftOut]) {
        guard let line = leftOut.line else { return }
        guard verbose, leftOut.hasMore else {
            return StandardError.warn(line + (leftOut.hasMore ? ", which --verbose names" : ""))
        }
        StandardError.warn("\(leftOut.count) files left out:")
        for file in leftOut { StandardError.print("  \(file)") }
    }
}

/// Which files an output may replace.
struct ReplacementOptions: ParsableArguments {
    @Flag(help: "Replace the output even if it is another kind of file.")
    var force = false

    /// Checks an output before the work: it is none of the inputs, its place can be written, and it replaces only files
    /// that earshot wrote.
    /// - Throws: `CommandError` or `FileWriteError`; nothing is written.
    func check(_ output: String, inputs: [String]) throws {
        try AtomicFile.requireWritable(output)
        guard let stamp = FileStamp(path: output) else { return }
        for input in inputs {
            guard let other = FileStamp(path: input), other.isSameFile(as: stamp) else { continue }
            throw CommandError(description: "\(output): is the input \(input). Name another file to write.")
        }
        guard !force, stamp.byteCount > 0, OwnFile.letters(of: output)?.hasPrefix("EAR") != true else {
            return
        }
        throw CommandError(
            description:
                "\(output): is another kind of file. Name another file to write, or replace it with --force.")
    }
}

/// The files that earshot writes, by their first bytes: 0x89, EAR and three more letters, a line feed.
enum OwnFile {
    static let catalog = "EARCAT"

    /// The six letters of the file; nil if it is of another kind, or cannot be read.
    static func letters(of path: String) -> String? {
        guard let size = FileStamp(path: path)?.byteCount, size > 0,
            let file = FileHandle(forReadingAtPath: path)
        else { return nil }
        defer { try? file.close() }
        let head = [UInt8]((try? file.read(upToCount: 8)) ?? Data())
        guard head.count == 8, head[0] == 0x89, head[7] == 0x0A else { return nil }
        return String(decoding: head[1..<7], as: UTF8.self)
    }
}

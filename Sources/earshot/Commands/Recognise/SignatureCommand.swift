import ArgumentParser
import AudioIO
import Fingerprinting
import Foundation
import SystemIO

struct SignatureCommand: ParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature", abstract: "Make the signatures of audio and video files")

    @Option(
        name: .shortAndLong, parsing: .upToNextOption,
        help: "The audio and video files; - for standard input.", completion: .file())
    var input: [String]
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The signature file to write (.earsignature), or a folder for it.",
            discussion: """
                In a folder, or without this option in the current one, it is named after the input. Several inputs \
                need a folder.
                """))
    var output: String?
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup var batch: BatchOptions
    @Flag(name: .shortAndLong, help: "Say what the signatures were made from.")
    var verbose = false

    var decoding: SandboxOptions { reading.decoding }

    func validate() throws {
        try reject(
            if: input.count > 1 && output.map { !OutputPath.isFolder($0) } ?? false,
            "Several inputs need a folder for --output.")
    }

    func run() throws {
        var failed = FailedFiles(options: batch)
        var inputs: [String: String] = [:]
        var made: [(path: String, file: String, signature: Signature)] = []
        for path in input {
            do {
                let file = OutputPath.file(
                    output, for: path == "-" ? "stdin" : path, extension: Signature.fileExtension)
                if let other = inputs.updateValue(path, forKey: file) {
                    throw CommandError(
                        description: "\(path): has the name of \(other), whose signature is \(file)")
                }
                try replacement.check(file, inputs: [path])
                made.append((path, file, try signature(of: path)))
                if !batch.allOrNothing { try write(made.removeLast()) }
            } catch { try failed.append(error) }
        }
        for signature in made { try write(signature) }
        try failed.require(failed.errors.count < input.count)
        try failed.report()
    }

    private func signature(of path: String) throws -> Signature {
        try RereadableFile(path).read { file in
            let reader = try AudioFileReader(path: file, track: reading.track)
            let signature = try Signature(of: reader, name: path, detail: .query)
            try reading.note(reader.remark, reader.damage, of: path)
            if signature.channelsCancel {
                StandardError.warn(
                    "\(path): the channels cancel in their mean, one is inverted; another mix of them is taken"
                )
            }
            return signature
        }
    }

    private func write(_ made: (path: String, file: String, signature: Signature)) throws {
        let signature = made.signature
        try signature.write(to: made.file)
        if verbose {
            StandardError.print("\(made.path): \(signature.frameCount) samples at \(signature.sampleRate) Hz")
        }
        StandardError.print("\(made.file): \(signature.peaks.count) peaks of \(signature.durationSeconds) s")
    }
}

/// Where a result goes: the file named, or a file in the folder named.
enum OutputPath {
    /// The extension of a result: Apple's if that of `input` is one of Apple's.
    static func `extension`(_ own: String, like input: String) -> String {
        let names = ["shazamsignature", "shazamcatalog"]
        guard names.contains(URL(fileURLWithPath: input).pathExtension) else { return own }
        return own == Signature.fileExtension ? names[0] : names[1]
    }

    /// The path of the file to write; in a folder, or without `output` in the current one, it has the name of `input`.
    static func file(_ output: String?, for input: String, extension own: String) -> String {
        let fileExtension = `extension`(own, like: input)
        let stem = DerivedName.stem(
            URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent, forExtension: fileExtension
        )
        guard let output else { return "\(stem).\(fileExtension)" }
        guard isFolder(output) else { return output }
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(stem).\(fileExtension)"
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

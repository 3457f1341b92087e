import ArgumentParser
import AudioIO
import Fingerprinting
import Foundation

struct SignatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature", abstract: "Make the signature of an audio or video file")

    @Option(name: .shortAndLong, help: "The audio or video file.", completion: .file())
    var input: String
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The signature file to write (.earsignature), or a folder for it.",
            discussion: "In a folder, or without this option in the current one, it is named after the input."
        ))
    var output: String?
    @OptionGroup var tracks: TrackOptions
    @OptionGroup var damage: DamageOptions
    @OptionGroup var replacement: ReplacementOptions
    @Flag(name: .shortAndLong, help: "Say what the signature was made from.")
    var verbose = false

    func run() throws {
        let file = OutputPath.file(output, for: input, extension: Signature.fileExtension)
        let reader = try AudioFileReader(path: input, track: tracks.track)
        try replacement.check(file, inputs: [input])
        let signature = try Signature(of: reader, name: input, detail: .query)
        TrackOptions.note(reader.mixing, of: input)
        try damage.note(reader.damage, of: input)
        if signature.channelsCancel {
            StandardError.warn("\(input): the channels cancel in their mean, one is inverted")
        }
        try signature.write(to: file)
        if verbose {
            StandardError.print("\(input): \(signature.frameCount) samples at \(signature.sampleRate) Hz")
        }
        StandardError.print("\(file): \(signature.peaks.count) peaks of \(signature.durationSeconds) s")
    }
}

/// Where a result goes: the file named, or a file in the folder named.
enum OutputPath {
    /// The path of the file to write; in a folder, or without `output` in the current one, it has the name of `input`.
    static func file(_ output: String?, for input: String, extension fileExtension: String) -> String {
        let stem = URL(fileURLWithPath: input).deletingPathExtension().lastPathComponent
        guard let output else { return "\(stem).\(fileExtension)" }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder.boolValue
        else { return output }
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(stem).\(fileExtension)"
    }
}

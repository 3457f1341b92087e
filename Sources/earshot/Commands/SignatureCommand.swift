import ArgumentParser
import Fingerprinting

struct SignatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature", abstract: "Make the signature of an audio or video file")

    @Option(name: .shortAndLong, help: "The audio or video file.")
    var input: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The signature file to write (.earsignature), or a folder for it.",
            discussion: "In a folder, or without this option in the current one, it is named after the input."
        ))
    var output: String?

    @Flag(name: .shortAndLong, help: "Say what the signature was made from.")
    var verbose = false

    func run() throws {
        let signature = try Signature(ofAudioFile: input, detail: .query)
        if signature.channelsCancel {
            StandardError.print("warning: \(input): the channels cancel in their mean, one is inverted")
        }
        let file = OutputPath.file(
            output, named: OutputPath.stem(input), extension: Signature.fileExtension)
        try signature.write(to: file)
        if verbose {
            StandardError.print("\(input): \(signature.frameCount) samples at \(signature.sampleRate) Hz")
        }
        StandardError.print("\(file): \(signature.peaks.count) peaks of \(signature.durationSeconds) s")
    }
}

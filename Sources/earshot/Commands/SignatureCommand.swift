import ArgumentParser
import Fingerprinting

/// `earshot signature`: makes the signature of one audio file.
struct SignatureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signature", abstract: "Make the signature of an audio file.")

    @Option(name: .shortAndLong, help: "The audio file.")
    var input: String

    @Option(name: .shortAndLong, help: "The signature file to write (.earsignature).")
    var output: String

    func run() throws {
        let signature = try Signature(ofAudioFile: input)
        if signature.channelsCancel {
            StandardError.print("warning: \(input): the channels cancel in their mean, one is inverted")
        }
        try signature.write(to: output)
        StandardError.print("\(output): \(signature.peaks.count) peaks of \(signature.durationSeconds) s")
    }
}

// swift-format-ignore-file
import ShazamKit
import AVFoundation

func buildSignature(_ url: URL, then write: URL) async throws -> TimeInterval {
    let signature = try await SHSignatureGenerator.signature(from: AVURLAsset(url: url))
    try signature.dataRepresentation.write(to: write, options: .atomic)
    return signature.duration
}
func buildSignatureOldStyle(_ url: URL) {
    SHSignatureGenerator.generateSignature(from: AVAsset(url: url)) { signature, error in
        if let signature { print("ok", signature.duration) } else { print(error?.localizedDescription ?? "unknown") }
    }
}

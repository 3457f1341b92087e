import AVFoundation
import ShazamKit

func signature(of asset: AVAsset) async throws -> SHSignature {
    let generator = SHSignatureGenerator()
    return try await generator.signature(from: asset)
}

// swift-format-ignore-file
import AVFoundation
import Foundation
import ShazamKit
import UniformTypeIdentifiers

// The instance method of a generator, and the name of a catalog file.
func signatureOfInstance(_ asset: AVAsset) async throws -> SHSignature {
    let generator = SHSignatureGenerator()
    return try await generator.signature(from: asset)
}

func catalogURL(in folder: URL) -> URL {
    folder.appendingPathComponent("FoodMath").appendingPathExtension(UTType.shazamCustomCatalog.preferredFilenameExtension!)
}

func configureCategory() throws {
    if AVAudioSession.sharedInstance().category != .ambient {
        try AVAudioSession.sharedInstance().setCategory(.ambient)
    }
}

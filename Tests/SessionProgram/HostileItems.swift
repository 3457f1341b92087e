import EarshotKit

/// Items with values of every type: kept or refused by name, never lost or fatal.
enum HostileItems {
    private struct Opaque { let number = 1 }
    private enum Kind { case one(Int) }

    private static func values(_ random: inout some RandomNumberGenerator) -> [Any] {
        var deep: Any = 1
        for _ in 0..<Int.random(in: 0..<5000, using: &random) {
            deep = Bool.random(using: &random) ? [deep] : ["k": deep]
        }
        let text = String(
            repeating: ["a", "\0", "\u{1B}[2J", "\u{202E}", "é", "🎵"].randomElement(using: &random)!,
            count: Int.random(in: 0..<100_000, using: &random))
        return [
            Int.min, Int.max, UInt64.max, Int8(-1), Double.nan, Double.infinity, -0.0, 1e308,
            Float.leastNonzeroMagnitude,
            Float.nan, CGFloat(2), true, Decimal(1), text, Substring(text), Character("x"), Data(),
            Data(text.utf8),
            URL(fileURLWithPath: "/"), Date.distantPast, Date(timeIntervalSinceReferenceDate: .nan), NSNull(),
            NSNumber(value: true), NSNumber(value: UInt64.max), NSString(string: text), NSArray(array: [1]),
            NSDictionary(dictionary: [1: 2]), NSObject(), UUID(), Opaque(), Kind.one(1), [] as [Any],
            [:] as [String: Any],
            [1: 2], Set([1]), (1, 2), Optional<Int>.none as Any, Optional<Int?>.some(.none) as Any, { 1 },
            Int.self,
            0.0..<1.0, -Double.infinity..<Double.infinity, 0...9, [1..<2, 1..<1], [Float(0.1)..<Float(0.2)],
            Int.min..<Int.max,
            [0.0..<Double.infinity], [1, "a", [Opaque()]] as [Any], ["a": Opaque()] as [String: Any], deep,
        ]
    }

    static let builtIn: [SHMediaItemProperty] = [
        .title, .subtitle, .artist, .shazamID, .appleMusicID, .ISRC, .webURL, .appleMusicURL, .artworkURL,
        .videoURL, .genres,
        .explicitContent, .creationDate, .timeRanges, .frequencySkewRanges, .matchOffset, .frequencySkew,
        .confidence,
    ]

    /// - Throws: A sentence about what was lost.
    static func attack(_ seed: UInt64) throws {
        var random = Generator(state: seed)
        let signature = try Noise.signature(seed, seconds: 3)
        let values = values(&random)
        let names = [
            "", " ", "items", "mediaItemID", "a\0b", String(repeating: "x", count: 70_000), "title", "value",
        ]
        for _ in 0..<40 {
            var properties: [SHMediaItemProperty: Any] = [:]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let key =
                    Bool.random(using: &random)
                    ? builtIn.randomElement(using: &random)! : .init(names.randomElement(using: &random)!)
                properties[key] = values.randomElement(using: &random)!
            }
            let item = SHMediaItem(properties: properties)
            read(item)
            read(SHMatchedMediaItem(properties: properties))
            let archive = try? NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
            if let archive {
                _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMediaItem.self, from: archive)
            }
            let catalog = SHCustomCatalog()
            do { try catalog.addReferenceSignature(signature, representing: [item, item]) } catch let error
                as SHError
            {
                guard !error.localizedDescription.isEmpty else { throw Wrong("an error without words") }
                continue
            }
            let again = try SHCustomCatalog(dataRepresentation: catalog.dataRepresentation)
            let (before, after) = (try catalog.references(), try again.references())
            guard before.count == 1, after.count == 1,
                before[0].mediaItems.map(\.id) == after[0].mediaItems.map(\.id),
                before[0].mediaItems.count == 2, before[0].mediaItems[0].id != before[0].mediaItems[1].id
            else {
                throw Wrong("other items in the stored catalog: \(properties.keys.map(\.rawValue.count))")
            }
            after[0].mediaItems.forEach(read)
        }
    }

    private static func read(_ item: SHMediaItem) {
        _ = [item.title, item.subtitle, item.artist, item.shazamID, item.appleMusicID, item.isrc]
        _ = [item.webURL, item.appleMusicURL, item.artworkURL, item.videoURL]
        _ = (
            item.genres, item.explicitContent, item.creationDate, item.timeRanges, item.frequencySkewRanges,
            item.id, item.hash
        )
        for key in builtIn { _ = item[key] as? Double }
        _ = item.copy()
        if let item = item as? SHMatchedMediaItem {
            _ = (item.matchOffset, item.predictedCurrentMatchOffset, item.frequencySkew, item.confidence)
        }
    }
}

struct Wrong: Error {
    let description: String
    init(_ description: String) { self.description = description }
}

struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

/// Noise of a seed, which matches itself.
enum Noise {
    static let rate = 16_000

    static func buffers(_ seed: UInt64, seconds: Int) -> [AVAudioPCMBuffer] {
        var random = Generator(state: seed)
        let format = AVAudioFormat(standardFormatWithSampleRate: Double(rate), channels: 1)!
        return (0..<seconds * 10).map { _ in
            let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(rate / 10))!
            buffer.frameLength = buffer.frameCapacity
            for frame in 0..<rate / 10 {
                buffer.floatChannelData![0][frame] = .random(in: -0.5...0.5, using: &random)
            }
            return buffer
        }
    }

    static func signature(_ seed: UInt64, seconds: Int) throws -> SHSignature {
        let generator = SHSignatureGenerator()
        for buffer in buffers(seed, seconds: seconds) { try generator.append(buffer, at: nil) }
        return generator.signature()
    }
}

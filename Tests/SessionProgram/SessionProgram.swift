import EarshotKit

/// Looks up files, as a program of the kit does, and prints a line of JSON for each.
///
/// The arguments are signature files; the catalog is the one that is configured. With the path of a catalog as the only
/// argument, the program reads the paths of audio files from standard input. `--items SEED` and `--delegate SEED` attack the
/// kit instead.
@main
struct SessionProgram {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.count == 2, let seed = arguments.last.flatMap(UInt64.init) {
            switch arguments.first {
            case "--items": return try HostileItems.attack(seed)
            case "--delegate": return try HostileDelegates.attack(seed)
            default: break
            }
        }
        if let path = arguments.first, path.hasSuffix("catalog") {
            let catalog = try SHCustomCatalog(
                dataRepresentation: Data(contentsOf: URL(fileURLWithPath: path)))
            let session = SHSession(catalog: catalog)
            while let line = readLine() { try print(await session.answer(toAudio: line)) }
        } else {
            for path in arguments { try print(await SHSession().answer(toSignature: path)) }
        }
    }

    private static func print(_ line: Line) throws {
        Swift.print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
        fflush(nil)
    }
}

struct Line: Encodable {
    struct Answer: Encodable {
        let reference: String
        let title: String?
        let matchOffset: Double
        let frequencySkew: Float
        let timeSkew: Float
        let confidence: Float
    }

    var answers: [Answer] = []
    var error: String?
}

extension SHSession {
    fileprivate func answer(toAudio path: String) async -> Line {
        do {
            return try await answer(
                to: SHSignatureGenerator.signature(from: AVAsset(url: URL(fileURLWithPath: path))))
        } catch {
            return Line(error: "\(error)")
        }
    }

    fileprivate func answer(toSignature path: String) async -> Line {
        do {
            return try await answer(
                to: SHSignature(dataRepresentation: Data(contentsOf: URL(fileURLWithPath: path))))
        } catch {
            return Line(error: "\(error)")
        }
    }

    private func answer(to signature: SHSignature) async throws -> Line {
        switch await result(from: signature) {
        case .match(let match):
            var line = Line()
            for item in match.mediaItems { line.answers.append(try await Line.Answer(item)) }
            return line
        case .noMatch: return Line()
        case .error(let error, _): throw error
        }
    }
}

extension Line.Answer {
    /// The title of a hosted item is fetched.
    fileprivate init(_ item: SHMatchedMediaItem) async throws {
        let fetched =
            if let id = item.shazamID { try await SHMediaItem.fetch(shazamID: id).title } else {
                String?.none
            }
        self.init(
            reference: item.referenceID, title: fetched ?? item.title, matchOffset: item.matchOffset,
            frequencySkew: item.frequencySkew, timeSkew: item.timeSkew, confidence: item.confidence)
    }
}

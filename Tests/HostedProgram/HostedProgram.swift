import EarshotKit

/// Looks up signature files as programs do that name no catalog, and prints a title for each.
@main
struct HostedProgram {
    static func main() async throws {
        for path in CommandLine.arguments.dropFirst() {
            let signature = try SHSignature(dataRepresentation: Data(contentsOf: URL(fileURLWithPath: path)))
            switch await SHSession().result(from: signature) {
            case .match(let match):
                let id = match.mediaItems.first?.shazamID ?? ""
                print(try await SHMediaItem.fetch(shazamID: id).title ?? "no title")
            case .noMatch: print("no match")
            case .error(let error, _): print(error)
            }
        }
    }
}

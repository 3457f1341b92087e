import EarshotKit
import Foundation
import SystemIO

/// What a client may do.
enum Right: String, CaseIterable, Sendable {
    /// Matches queries and reads items.
    case match
    /// Adds, replaces and removes references.
    case write
}

/// The tokens of a file: one a line, as `NAME RIGHT[,RIGHT] TOKEN`; lines that begin with `#` are comments.
///
/// The server keeps digests. A check compares with all of them in a time that does not depend on the token.
struct TokenList: Sendable {
    struct Error: Swift.Error, CustomStringConvertible {
        let description: String
    }

    struct Holder: Sendable {
        let name: String
        let rights: Set<Right>
    }

    /// Shorter tokens can be guessed.
    static let shortestToken = 16

    private let entries: [(digest: [UInt8], holder: Holder)]

    init(contentsOf path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
            let data = FileManager.default.contents(atPath: path)
        else { throw Error(description: "\(path): the file of tokens cannot be read") }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
        guard mode & 0o007 == 0 else {
            throw Error(description: "\(path): every user of this machine can read the tokens; run chmod 640")
        }
        try self.init(String(decoding: data, as: UTF8.self), name: path)
    }

    init(_ text: String, name: String) throws {
        var entries: [(digest: [UInt8], holder: Holder)] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            func error(_ text: String) -> Error { Error(description: "\(name):\(number + 1): \(text)") }
            guard words.count == 3 else { throw error("expected NAME RIGHT[,RIGHT] TOKEN") }
            let rights = try words[1].split(separator: ",").map { word in
                guard let right = Right(rawValue: String(word)) else {
                    throw error("\"\(word)\" is no right; rights are match and write")
                }
                return right
            }
            guard words[2].utf8.count >= Self.shortestToken else {
                throw error("the token is shorter than \(Self.shortestToken) characters")
            }
            entries.append((Self.digest(words[2]), Holder(name: first, rights: Set(rights))))
        }
        guard !entries.isEmpty else { throw Error(description: "\(name): the file has no token") }
        self.entries = entries
    }

    /// The holder of the token in an `Authorization` header.
    func holder(authorization header: String?) throws(CatalogFault) -> Holder {
        guard let header, header.lowercased().hasPrefix("bearer ") else {
            throw CatalogFault(
                .tokenMissing, "the catalog needs a token",
                remedy: "Send the header \"Authorization: Bearer TOKEN\"; programs take it from"
                    + " EARSHOT_CATALOG_TOKEN.")
        }
        let digest = Self.digest(header.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces))
        var found: Holder?
        for entry in entries where Self.isEqual(entry.digest, digest) { found = entry.holder }
        guard let found else {
            throw CatalogFault(
                .tokenWrong, "the catalog does not know the token",
                remedy: "Ask who runs the server for a token.")
        }
        return found
    }

    private static func digest(_ text: String) -> [UInt8] {
        let digest = Digest()
        digest.update(text)
        return digest.finalize()
    }

    /// Compares all bytes, wherever they differ.
    private static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 && a.count == b.count
    }
}

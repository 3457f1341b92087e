import Crypto
import Foundation

/// SHA-256 digests in lower-case hexadecimal.
enum FileDigest {
    /// The digest of bytes in memory.
    static func sha256(_ bytes: some DataProtocol) -> String { hexadecimal(SHA256.hash(data: bytes)) }

    /// The digest of a file, read in blocks; nil when it cannot be read to its end.
    static func sha256(ofFile path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        var hash = SHA256()
        do {
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty { hash.update(data: block) }
        } catch {
            return nil
        }
        return hexadecimal(hash.finalize())
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

internal import CCrypto
import Foundation

/// The SHA-256 digest (FIPS 180-4) of bytes that arrive piece by piece, computed by Nettle.
package final class Digest {
    private var context = sha256_ctx()

    package init() { nettle_sha256_init(&context) }

    package func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bytes in
            nettle_sha256_update(&context, bytes.count, bytes.bindMemory(to: UInt8.self).baseAddress)
        }
    }

    package func update(_ text: String) { update(Array(text.utf8)) }

    /// The digest of everything so far; more may follow.
    package func finalize() -> [UInt8] {
        var copy = context
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        nettle_sha256_digest(&copy, digest.count, &digest)
        return digest
    }

    /// The SHA-1 digest, for name-based UUIDs only (RFC 9562, version 5).
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var context = sha1_ctx()
        nettle_sha1_init(&context)
        nettle_sha1_update(&context, bytes.count, bytes)
        var digest = [UInt8](repeating: 0, count: Int(SHA1_DIGEST_SIZE))
        nettle_sha1_digest(&context, digest.count, &digest)
        return digest
    }

    package static func sha256(_ bytes: some ContiguousBytes) -> String {
        let digest = Digest()
        digest.update(bytes)
        return digest.finalize().hexadecimal
    }

    package static func sha256(_ text: String) -> String { sha256(Array(text.utf8)) }

    /// The SHA-256 digest of a file, in hexadecimal; nil if the file cannot be read to its end.
    package static func sha256(ofFile path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let digest = Digest()
        do {
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty { digest.update(block) }
        } catch {
            return nil
        }
        return digest.finalize().hexadecimal
    }
}

extension Sequence where Element == UInt8 {
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

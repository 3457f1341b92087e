internal import CCrypto
import Foundation

/// A message digest (FIPS 180-4) of bytes that arrive piece by piece, computed by libcrypto.
package final class Digest {
    package enum Function {
        /// For name-based UUIDs only (RFC 9562, version 5).
        case sha1
        case sha256
    }

    private let context: OpaquePointer

    package init(_ function: Function = .sha256) {
        let type =
            switch function {
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            }
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, type, nil) == 1 else {
            preconditionFailure("libcrypto has no memory for a digest, or lacks \(function)")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: some ContiguousBytes) {
        let isDone = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(isDone == 1, "libcrypto cannot update a digest")
    }

    package func update(_ text: String) { update(Array(text.utf8)) }

    /// The digest of everything so far; more may follow.
    package func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        guard EVP_MD_CTX_copy_ex(copy, context) == 1, EVP_DigestFinal_ex(copy, &digest, &count) == 1 else {
            preconditionFailure("libcrypto cannot finish a digest")
        }
        return Array(digest.prefix(Int(count)))
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

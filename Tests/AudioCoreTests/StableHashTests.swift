import AudioCore
import Testing

struct StableHashTests {
    /// FNV-1a and the finaliser, computed by an independent implementation.
    @Test(
        arguments: [
            ("", 0xf52a_15e9_a9b5_e89b), ("a", 0x02c0_bdbf_4814_20f8), ("foobar", 0x404d_a9e3_b740_78c2),
        ] as [(String, UInt64)])
    func bytesHashToTheKnownValue(text: String, expected: UInt64) {
        var hash = StableHash()
        Array(text.utf8).withUnsafeBytes { hash.combine(bytes: $0) }
        #expect(hash.value == expected)
    }

    @Test func textsAreKeptApart() {
        #expect(StableHash.of("a", "bc") == 0x9e44_f2db_c2e2_ce02)
        #expect(StableHash.of("a", "bc") != StableHash.of("ab", "c"))
        #expect(StableHash.of("a") != StableHash.of("a", ""))
    }

    @Test func piecesHashLikeTheWhole() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        var whole = StableHash()
        bytes.withUnsafeBytes { whole.combine(bytes: $0) }
        var pieces = StableHash()
        for start in stride(from: 0, to: bytes.count, by: 77) {
            Array(bytes[start..<min(start + 77, bytes.count)]).withUnsafeBytes { pieces.combine(bytes: $0) }
        }
        #expect(pieces.value == whole.value)
    }
}

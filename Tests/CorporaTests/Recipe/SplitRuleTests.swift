import Corpora
import Testing

@Suite struct SplitRuleTests {
    /// The last byte decides: bits 2…0 the role, bit 3 the half.
    @Test(arguments: [
        ("00", TrackRole.negative), ("01", .negative), ("02", .noise), ("03", .enrolled(.tuning)),
        ("07", .enrolled(.tuning)), ("08", .negative), ("09", .negative), ("0a", .noise),
        ("0b", .enrolled(.test)), ("0F", .enrolled(.test)), ("f3", .enrolled(.tuning)),
        ("fb", .enrolled(.test)),
    ])
    func lastByteDecides(byte: String, role: TrackRole) {
        #expect(SplitRule.role(ofDigest: String(repeating: "5e", count: 31) + byte) == role)
        #expect(SplitRule.role(ofDigest: String(repeating: "0", count: 62) + byte) == role)
    }

    @Test(arguments: [
        ("00", CorpusHalf.tuning), ("02", .tuning), ("08", .test), ("0a", .test), ("f7", .tuning),
    ])
    func bitThreeDecidesTheHalfOfEveryRole(byte: String, half: CorpusHalf) {
        #expect(SplitRule.half(ofDigest: String(repeating: "0", count: 62) + byte) == half)
        #expect(SplitRule.half(ofDigest: byte) == nil)
    }

    @Test(arguments: ["", "03", String(repeating: "g", count: 64), String(repeating: "0", count: 65)])
    func refusesWhatIsNoDigest(text: String) {
        #expect(SplitRule.role(ofDigest: text) == nil)
    }

    /// Of all 256 last bytes 2/8 are negative, 1/8 noise and 5/8 enrolled, half of those in each half.
    @Test func sharesAreThoseOfTheRule() {
        var counts: [TrackRole: Int] = [:]
        for byte in 0..<256 {
            let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16)
            if let role = SplitRule.role(ofDigest: String(repeating: "0", count: 62) + hex) {
                counts[role, default: 0] += 1
            }
        }
        #expect(counts == [.negative: 64, .noise: 32, .enrolled(.tuning): 80, .enrolled(.test): 80])
    }
}

import AudioCore
import Testing

struct SeededGeneratorTests {
    /// From an independent implementation of the two published algorithms.
    @Test(arguments: [
        (UInt64(0), [0x99ec_5f36_cb75_f2b4, 0xbf6e_1f78_4956_452a, 0x1a5f_849d_4933_e6e0] as [UInt64]),
        (UInt64(42), [0x1578_0b2e_0c2e_c716, 0x6104_d986_6d11_3a7e, 0xae17_5332_39e4_99a1] as [UInt64]),
    ])
    func sequenceIsThatOfXoshiro(seed: UInt64, expected: [UInt64]) {
        var generator = SeededGenerator(seed: seed)
        for value in expected { #expect(generator.next() == value) }
    }

    @Test func namesSeparateSequences() {
        var plain = SeededGenerator(seed: 7)
        var noise = SeededGenerator(seed: 7, "noise")
        var again = SeededGenerator(seed: 7, "noise")
        var split = SeededGenerator(seed: 7, "no", "ise")
        let first = noise.next()
        #expect(first == again.next())
        #expect(first != plain.next())
        #expect(first != split.next())
    }

    @Test func unitIsUniformWithinItsBounds() {
        var generator = SeededGenerator(seed: 3)
        let count = 100_000
        var bins = [Int](repeating: 0, count: 10)
        for _ in 0..<count {
            let value = generator.unit()
            #expect(value >= 0 && value < 1)
            bins[Int(value * 10)] += 1
        }
        // Five standard deviations of a binomial count.
        let slack = 5 * (Double(count) * 0.1 * 0.9).squareRoot()
        for bin in bins { #expect(abs(Double(bin) - Double(count) / 10) < slack) }
    }

    @Test func indexReachesEveryValueAndNoOther() {
        var generator = SeededGenerator(seed: 4)
        var seen: Set<Int> = []
        for _ in 0..<1000 { seen.insert(generator.index(below: 7)) }
        #expect(seen == Set(0..<7))
    }
}

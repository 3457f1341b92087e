import AudioCore
import CKernels
import Fingerprinting
import Foundation
import Testing

/// The loops in C give the same bits as plain loops in Swift, on whatever processor runs the test.
struct KernelsTests {
    private static func noise(_ count: Int, seed: UInt64) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Float(generator.uniform(in: -1...1)) }
    }

    /// Numbers of outputs around whole vectors and blocks.
    private static let counts = [1, 5, 7, 8, 9, 16, 23, 64, 255, 256, 257, 300]

    @Test("The power spectra of a pair are those of its sum and difference with the mirrored spectrum")
    func pairPowers() {
        let size = 64
        let real = Self.noise(size + 1, seed: 1)
        let imaginary = Self.noise(size + 1, seed: 2)
        let floor: Float = 1e-7
        var first = [Float](repeating: 0, count: size)
        var second = first
        earshot_pair_powers(&first, &second, real, imaginary, size, 8, 32, floor)
        for k in 8..<32 {
            let (a, b, c, d) = (real[k], imaginary[k], real[size - k], imaginary[size - k])
            #expect(first[k] == ((a + c) * (a + c) + (b - d) * (b - d)) * 0.25 + floor)
            #expect(second[k] == ((b + d) * (b + d) + (c - a) * (c - a)) * 0.25 + floor)
        }
        #expect(first[7] == 0 && first[32] == 0 && second[7] == 0 && second[32] == 0)
    }

    @Test("A pair of frames is multiplied by its window")
    func windowPair() {
        let (one, other, window) = (
            Self.noise(64, seed: 3), Self.noise(64, seed: 4), Self.noise(64, seed: 5)
        )
        var first = [Float](repeating: 0, count: 64)
        var second = first
        earshot_window_pair(&first, &second, one, other, window, 64)
        #expect(first == zip(one, window).map { $0 * $1 })
        #expect(second == zip(other, window).map { $0 * $1 })
    }

    @Test("Channels are mixed the same from planes, interleaved floats and 16-bit samples", arguments: counts)
    func mixing(count: Int) {
        let rounded = (count + 7) / 8 * 8
        var generator = SeededGenerator(seed: 6)
        let whole = (0..<2 * rounded).map { sample in
            sample < 2 * count ? Int16(generator.uniform(in: -32_768...32_767)) : 0
        }
        let left = (0..<rounded).map { Float(whole[2 * $0]) }
        let right = (0..<rounded).map { Float(whole[2 * $0 + 1]) }
        for difference in [false, true] {
            var lanes = [[Float]](repeating: [Float](repeating: 0, count: 8), count: 4)
            for frame in 0..<rounded {
                let (sum, minus) = (left[frame] + right[frame], left[frame] - right[frame])
                for (place, value) in [sum, sum * sum, minus, minus * minus].enumerated() {
                    lanes[place][frame % 8] += value
                }
            }
            let totals = lanes.map { $0.dropFirst().reduce($0[0], +) }
            let mixed = zip(left, right).map { (difference ? $0 - $1 : $0 + $1) * 0.25 }
            var target = [Float](repeating: 0, count: rounded)
            for layout in 0..<3 {
                let sums =
                    switch layout {
                    case 0: earshot_mix_planes(&target, left, right, count, difference, 0.25)
                    case 1: earshot_mix_floats(&target, whole.map(Float.init), count, difference, 0.25)
                    default: earshot_mix_int16s(&target, whole, count, difference, 0.25)
                    }
                #expect(target == mixed, "layout \(layout)")
                #expect([sums.sum, sums.sum_energy, sums.difference, sums.difference_energy] == totals)
            }
        }
    }

    @Test("A halved rate is the half-band filter at every other sample", arguments: counts)
    func halving(count: Int) {
        for tapCount in [1, 2, 13, 14, Int(earshot_most_half_band_taps)] {
            let taps = Self.noise(tapCount, seed: 7)
            let input = Self.noise(2 * count + 4 * tapCount - 2, seed: 8)
            var output = [Float](repeating: 0, count: count)
            earshot_halve(&output, count, input, taps, tapCount)
            let plain = (0..<count).map { place in
                let centre = 2 * (place + tapCount)
                return taps.indices.reduce(input[centre] * 0.5) { sum, tap in
                    sum + (input[centre - 2 * tap - 1] + input[centre + 2 * tap + 1]) * taps[tap]
                }
            }
            #expect(output == plain, "\(tapCount) taps")
        }
    }

    /// Ratios of 1 : 2, 44.1 kHz to 16 kHz after a halving, one with a table that is interpolated, and others.
    @Test(
        "A changed rate is the inner product of samples with the taps of each phase",
        arguments: [
            (5, 1, 2, 1), (3, 320, 441, 320), (4, 2, 3, 2), (3, 4000, 4777, 16), (1, 3, 1, 3), (2, 7, 30, 7),
        ])
    func resampling(vectors: Int, interpolation: Int, decimation: Int, phaseCount: Int) {
        let interpolates = phaseCount < interpolation
        let taps = Self.noise((phaseCount + (interpolates ? 1 : 0)) * vectors * 8, seed: 9)
        for count in Self.counts {
            for start in [0, interpolation - 1] {
                let input = Self.noise(
                    (start + (count - 1) * decimation) / interpolation + 8 * vectors, seed: UInt64(count))
                func product(_ first: Int, _ row: Int) -> Float {
                    var sums = [[Float]](repeating: [Float](repeating: 0, count: 8), count: 2)
                    for tap in 0..<8 * vectors {
                        sums[tap / 8 % 2][tap % 8] += input[first + tap] * taps[row * 8 * vectors + tap]
                    }
                    return (1..<8).reduce(sums[0][0] + sums[1][0]) { $0 + (sums[0][$1] + sums[1][$1]) }
                }
                let plain = (0..<count).map { place -> Float in
                    let (first, phase) = (start + place * decimation).quotientAndRemainder(
                        dividingBy: interpolation)
                    guard interpolates else { return product(first, phase) }
                    let position = Float(phase) / Float(interpolation) * Float(phaseCount)
                    let row = min(Int(position), phaseCount - 1)
                    let low = product(first, row)
                    return low + (product(first, row + 1) - low) * (position - Float(row))
                }
                var output = [Float](repeating: 0, count: count)
                taps.withUnsafeBufferPointer { taps in
                    var phases = earshot_phases(
                        taps: taps.baseAddress, vectors: vectors, interpolation: interpolation,
                        decimation: decimation, phase_count: phaseCount)
                    earshot_resample(&output, count, input, start, &phases)
                }
                #expect(output == plain, "\(count) outputs from phase \(start)")
            }
        }
    }

    /// Few different values, so that many are equal.
    @Test("Maxima of a row are those of thirteen neighbours; places found are the largest of five rows")
    func maxima() {
        for (width, stride) in [(1, 16), (7, 24), (8, 24), (100, 128), (483, 500)] {
            let values = Self.noise(5 * stride, seed: UInt64(width)).map { ($0 * 30).rounded() }
            var largest = [Float](repeating: 0, count: width)
            var scratch = [Float](repeating: 0, count: width + 16)
            let row = Self.noise(width + 12, seed: 10).map { ($0 * 50).rounded() }
            earshot_slide_maximum(&largest, row, &scratch, width)
            #expect(largest == (0..<width).map { row[$0...$0 + 12].max() })

            let middle = Array(values[2 * stride..<3 * stride])
            var places = [UInt16](repeating: 0, count: width)
            let found = earshot_find_maxima(&places, middle, values, stride, width, 5)
            let plain = (0..<width).filter { place in
                middle[place] > 5 && (0..<5).allSatisfy { values[$0 * stride + place] <= middle[place] }
            }
            #expect(places[..<found].map(Int.init) == plain)
            #expect(width < 100 || found > 5)
        }
    }

    @Test(
        "The sum of logarithms of a group is right to 2/1024, and its logarithm that of Swift",
        arguments: [1, 4, 8, 13, 60])
    func logarithms(groups: Int) {
        var generator = SeededGenerator(seed: 11)
        let values = (0..<16 * groups).map { _ in Float(exp2(generator.uniform(in: -23...40))) }
        var sums = [Int32](repeating: 0, count: groups)
        earshot_sum_logarithms(&sums, values, groups)
        for group in 0..<groups {
            let members = values[16 * group..<16 * (group + 1)]
            let exact = members.reduce(0) { $0 + log2(Double($1)) }
            #expect(abs(Double(sums[group]) - 1024 * exact) < 2)

            var mantissas = members.map(\.significand)
            while mantissas.count > 1 {
                let half = mantissas.count / 2
                mantissas = (0..<half).map { mantissas[$0] * mantissas[half + $0] }
            }
            let logarithm = BinaryLogarithm.log2(SIMD8(repeating: mantissas[0]))[0]
            let exponents = members.reduce(0) { $0 + Int32($1.exponent) }
            #expect(sums[group] == 1024 * exponents + Int32(logarithm * 1024))
        }
    }

    @Test("Candidates above a level and within octaves are counted, as far as asked", arguments: counts)
    func counting(count: Int) {
        let levels = Self.noise(count, seed: 12)
        let places = Self.noise(count, seed: 13)
        for level: Float in [-2, -0.5, 0.5, 2] {
            let all = Int32(
                zip(levels, places).count { $0 > level && (-0.5...0.25).contains($1) })
            #expect(earshot_count_higher(levels, places, count, level, -0.5, 0.25, .max) == all)
            let some = earshot_count_higher(levels, places, count, level, -0.5, 0.25, 3)
            #expect(some == all || (some >= 3 && some < all))
        }
    }

    @Test("Pairs are those of a plain loop, in any room", arguments: [1, 7, 8, 9, 40, 300])
    func pairing(count: Int) {
        let cells = 50
        let crossovers: [Float] = [-0.5, 0, 0.5]
        let margin: Float = 0.3
        // Peaks band by band, each by time; cells are of one frame.
        let bands = (0..<count).map { 4 * $0 / count }
        let octaves = bands.enumerated().map {
            Self.noise(count, seed: 14)[$0] * 0.2 + Float($1) * 0.5 - 0.75
        }
        var frames = Self.noise(count, seed: 15).map { ($0 + 1) * Float(cells) / 2 }
        var starts: [[Int32]] = []
        for band in 0..<4 {
            let own = bands.indices.filter { bands[$0] == band }
            for (place, frame) in zip(own, own.map { frames[$0] }.sorted()) { frames[place] = frame }
            starts.append(
                (0..<cells + 2).map { cell in
                    Int32(bands.firstIndex { $0 >= band } ?? count)
                        + Int32(own.count { Int(frames[$0]) < cell })
                })
        }
        let room = [Float](repeating: 0, count: 8)
        let reach: [Float] = [8, 4, 2, 1]
        let tolerances = Self.noise(count, seed: 16).map { abs($0) * margin }
        let earliest = frames.indices.map { frames[$0] - reach[bands[$0]] }
        let latest = frames.indices.map { frames[$0] + reach[bands[$0]] * 0.9 }
        let times = Self.noise(60, seed: 17).map { ($0 + 1) * Float(cells) / 2 }.sorted()
        let pitches = Self.noise(60, seed: 18)

        var expected: [[Int32]] = []
        for peak in 3..<times.count {
            for place in 1..<max(1, count - 1)
            where abs(octaves[place] - pitches[peak]) < tolerances[place]
                && (earliest[place]...latest[place]).contains(times[peak])
            {
                expected.append([Int32(1000 + place), Int32(peak)])
            }
        }
        var found: [[Int32]] = []
        (0..<Int32(count)).map { 1000 + $0 }.withUnsafeBufferPointer { indices in
            withAll([octaves, tolerances, earliest, latest].map { $0 + room }) { rows in
                withAll(starts) { starts in
                    let first = (0..<4).map { max(1, starts[$0][0]) }
                    let end = (0..<4).map { min(Int32(count - 1), starts[$0][cells + 1]) }
                    var query = earshot_paired_query(
                        indices: indices.baseAddress, octaves: rows[0], tolerances: rows[1],
                        earliest: rows[2],
                        latest: rows[3], starts: (starts[0], starts[1], starts[2], starts[3]),
                        cells: Int32(cells), cells_per_frame: 1,
                        first: (first[0], first[1], first[2], first[3]),
                        end: (end[0], end[1], end[2], end[3]),
                        reach: (reach[0], reach[1], reach[2], reach[3]),
                        crossovers: (crossovers[0], crossovers[1], crossovers[2]), margin: margin)
                    var pairs = [earshot_peak_pair](repeating: earshot_peak_pair(), count: count)
                    var peak: Int32 = 3
                    while peak < times.count {
                        let made = earshot_pair_peaks(
                            &pairs, pairs.count, &peak, Int32(times.count), times, pitches, 1, 0, &query)
                        found += pairs[..<made].map { [$0.query, $0.reference] }
                    }
                }
            }
        }
        #expect(found == expected)
        #expect(count < 40 || !found.isEmpty)
    }

    /// Passes the first elements of all rows.
    private func withAll<T>(_ rows: [[T]], _ body: ([UnsafePointer<T>]) -> Void) {
        let joined = Array(rows.joined())
        joined.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return }
            var place = 0
            body(
                rows.map { row in
                    defer { place += row.count }
                    return base + place
                })
        }
    }
}

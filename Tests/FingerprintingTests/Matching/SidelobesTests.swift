import Fingerprinting
import Testing

/// The lead of a place over those beside it, from given heights.
struct SidelobesTests {
    /// Heights in log2 power at each distance in steps, for some peaks that all stay within the query.
    private func lobes(peaks: Int = 50, _ height: (_ distance: Int) -> Double) -> Sidelobes {
        var lobes = Sidelobes()
        let heights = Sidelobes.places.map { Int16((16 * height($0 - Sidelobes.reach)).rounded()) }
        for _ in 0..<peaks { heights.withUnsafeBufferPointer { lobes.add($0, at: Sidelobes.places) } }
        return lobes
    }

    @Test("The lead is the height above the highest other time, in deviations of the other times and 0.1")
    func leadIsInDeviations() throws {
        // Other times alternate between 0 and 1: their deviation is half a unit.
        for own in [0.5, 1, 2.5, 4] {
            let lead = try #require(lobes { $0 == 0 ? own : Double($0 & 1) }.lead)
            #expect(abs(lead - (max(own, 1) - 1) / 0.6) < 0.05, "\(own)")
        }
    }

    @Test("A height a beat later leaves no lead, and one on the slope of the main lobe does not count")
    func beatsLeaveNoLead() throws {
        for beat in [8, 16, 31, 48, -8, -20, -48] {
            let lead = try #require(lobes { $0 == 0 || $0 == beat ? 3 : 0 }.lead)
            #expect(abs(lead) < 1e-9, "\(beat)")
        }
        for near in [2, 7, -3, -7] {
            let lead = try #require(lobes { $0 == 0 || $0 == near ? 3 : 0 }.lead)
            #expect(lead > 20, "\(near)")
        }
    }

    @Test("Times with less than three tenths of the peaks do not count, and too few times give no lead")
    func fewPeaksDoNotCount() {
        let flat = [Int16](repeating: 16, count: Sidelobes.places.count)
        func lead(within range: Range<Int>, everywhere: Int) -> Double? {
            var lobes = lobes(peaks: everywhere) { _ in 0 }
            for _ in 0..<100 - everywhere { flat.withUnsafeBufferPointer { lobes.add($0, at: range) } }
            return lobes.lead
        }
        let middle = Sidelobes.reach - 2..<Sidelobes.reach + 3
        #expect(lead(within: middle, everywhere: 29) == nil)
        #expect(lead(within: middle, everywhere: 30) != nil)
        #expect(Sidelobes().lead == nil)
        #expect(lead(within: 0..<1, everywhere: 0) == nil)
    }
}

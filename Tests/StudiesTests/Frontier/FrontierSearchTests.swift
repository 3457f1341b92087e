import AudioCore
import Studies
import Testing

@Suite struct FrontierSearchTests {
    @Test(arguments: [2, 3, 7, 8, 60, 101])
    func everyLimitOfALadderWithoutHolesIsFoundInFewTries(_ rungs: Int) {
        for firstLost in 0...rungs {
            for seed in 0..<5 {
                let search = FrontierSearch(rungs: rungs, coarse: 7, seed: UInt64(seed))
                var asked: [Int] = []
                let finding = search.run { rung in
                    asked.append(rung)
                    return rung < firstLost
                }
                #expect(finding.firstLost == (firstLost == rungs ? nil : firstLost))
                #expect(finding.lastFound == (firstLost == 0 ? nil : firstLost - 1))
                #expect(finding.holes.isEmpty)
                #expect(Set(asked).count == asked.count, "no rung is asked about twice")
                // The scan, and one bisection of the widest gap between its rungs.
                #expect(asked.count <= min(rungs, 7 + 6))
                let status: FrontierFinding.Status =
                    firstLost == 0 ? .alwaysLost : firstLost == rungs ? .neverLost : .bracketed
                #expect(finding.status == status)
            }
        }
    }

    @Test func theEdgesOfAHoleAreNeighboursOfFoundRungs() throws {
        var generator = SeededGenerator(seed: 4)
        var seen = 0
        for seed in 0..<200 {
            let start = generator.index(below: 50)
            let end = start + 5 + generator.index(below: 20)
            let limit = end + 3 + generator.index(below: 100 - end - 3)
            let lost = { (rung: Int) in (start...end).contains(rung) || rung >= limit }
            let finding = FrontierSearch(rungs: 101, coarse: 7, seed: UInt64(seed)).run { !lost($0) }
            for hole in finding.holes {
                seen += 1
                #expect(hole == start...end)
            }
            #expect(finding.holes.count <= 1)
            // A hole that the scan missed cannot change the limit.
            if let firstLost = finding.firstLost, finding.lastFound ?? 0 > end {
                #expect(firstLost == limit)
            }
        }
        #expect(seen > 60, "a scan of seven meets most holes of a tenth of the ladder, saw \(seen)")
    }

    @Test func scansOfManyQueriesLeaveNoRungOut() {
        let scans = (0..<400).map { FrontierSearch(rungs: 61, coarse: 7, seed: UInt64($0)).scan }
        #expect(Set(scans.joined()) == Set(0..<61))
        for scan in scans {
            #expect(scan.count == 7 && scan == scan.sorted() && Set(scan).count == 7)
            #expect(scan.first == 0 && scan.last == 60)
        }
    }

    @Test func laddersReachBothEndsInStepsNoLargerThanAsked() throws {
        let linear = try #require(
            SeverityLadder(from: 10, to: -20, resolution: 0.7, scale: .linear, unit: "dB"))
        let values = linear.rungs.compactMap(\.number)
        #expect(values.first == 10 && values.last == -20)
        #expect(linear.rungs.first?.label == "+10 dB")
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 - $1 > 0 && $0 - $1 <= 0.7 + 1e-5 })
        let ratios = try #require(
            SeverityLadder(from: 5, to: 0.2, resolution: 0.05, scale: .logarithmic, unit: "s"))
        let lengths = ratios.rungs.compactMap(\.number)
        #expect(lengths.first == 5 && lengths.last == 0.2)
        // Rounding to four digits moves a ratio by at most one in a thousand.
        #expect(zip(lengths, lengths.dropFirst()).allSatisfy { $0 / $1 > 1 && $0 / $1 < 1.051 })
        #expect(SeverityLadder(from: 1, to: 1, resolution: 1, scale: .linear, unit: "") == nil)
        #expect(SeverityLadder(from: -1, to: 1, resolution: 0.1, scale: .logarithmic, unit: "") == nil)
        #expect(SeverityLadder(from: 0, to: 1, resolution: 0, scale: .linear, unit: "") == nil)
        #expect(SeverityLadder(["a", "a"], unit: "") == nil)
    }
}

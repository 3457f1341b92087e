import EarshotKit
import Fingerprinting
import KitTestSupport
import Testing

/// Slices of whole length, one per stride.
@Suite struct SliceTests {
    private let signature = SongBook.signatures[0]

    private func slices(
        _ start: TimeInterval, _ duration: TimeInterval, _ stride: TimeInterval? = nil
    ) async throws -> [SHSignature] {
        var slices: [SHSignature] = []
        for try await slice in try signature.slices(from: start, duration: duration, stride: stride) {
            slices.append(slice)
        }
        return slices
    }

    @Test(
        arguments: [
            (0.0, 10.0, 5.0, 5), (0, 10, nil, 3), (0, 30, nil, 1), (2, 8, 8, 3), (29, 1, 0.001, 1),
            (0.5, 7.25, 30, 1),
            (0, 29.9, 0.02, 6),
        ] as [(Double, Double, Double?, Int)])
    func slicesAreWholeAndAsManyAsFit(start: Double, duration: Double, stride: Double?, count: Int)
        async throws
    {
        let slices = try await slices(start, duration, stride)
        #expect(slices.count == count)
        #expect(slices.allSatisfy { abs($0.duration - duration) < 1e-4 })
    }

    @Test func slicesWithoutOverlapHoldAllPeaks() async throws {
        let slices = try await slices(0, 2.5)
        #expect(slices.count == 12)
        let moved = slices.enumerated().flatMap { number, slice in
            slice.signature.peaks.map { Double(number) * 2.5 + $0.timeSeconds }
        }
        let whole = signature.signature.peaks.map(\.timeSeconds).filter { $0 < 30 }
        #expect(moved.count == whole.count && moved.count > 1000)
        #expect(zip(moved, whole).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(slices.allSatisfy { $0.signature.keptRanks == signature.signature.keptRanks })
    }

    /// A slice has most of the peaks of the same audio alone; near the cuts other peaks count.
    @Test func aSliceIsLikeTheSignatureOfItsAudio() async throws {
        let slice = try #require(try await slices(7.3, 5).first)
        let alone = try SongBook.query(0, from: 7.3, seconds: 5)
        let peaks = Set(
            alone.signature.peaks.filter { $0.rank < 3 }.map { [Int($0.time) / 16, Int($0.frequency) / 16] })
        let common = slice.signature.peaks.filter { peak in
            (-1...1).contains { time in
                (-1...1).contains {
                    peaks.contains([Int(peak.time) / 16 + time, Int(peak.frequency) / 16 + $0])
                }
            }
        }
        #expect(peaks.count > 50)
        #expect(common.count >= peaks.count * 4 / 5)
    }

    @Test func slicesAreSignatures() async throws {
        for slice in try await slices(1.2345, 3.3, 7.7) {
            #expect(try SHSignature(dataRepresentation: slice.dataRepresentation) == slice)
        }
    }

    @Test(
        arguments: [
            (-1, 10, 5), (0, 0, 5), (0, -3, 5), (0, 10, 0), (0, 10, -1), (.nan, 10, 5), (0, .infinity, 5),
            (0, 10, .nan),
            (0, 30.01, nil), (25, 5.1, nil), (31, 1, nil),
        ] as [(Double, Double, Double?)])
    func invalidSlicesAreError201(start: Double, duration: Double, stride: Double?) {
        let error = #expect(throws: SHError.self) {
            try signature.slices(from: start, duration: duration, stride: stride)
        }
        #expect(error?.code == .signatureDurationInvalid)
    }

    @Test func messagesNameTheValues() {
        let error = #expect(throws: SHError.self) { try signature.slices(from: 25, duration: 6) }
        #expect(error?.message == "a slice of 6.0 s from 25.0 s does not fit into a signature of 30.0 s")
        let stride = #expect(throws: SHError.self) {
            try signature.slices(from: 0, duration: 6, stride: -2)
        }
        #expect(stride?.message == "the stride of slices must be more than 0 seconds, found -2.0")
    }

    @Test func cancelledTasksGetNoMoreSlices() async {
        let signature = signature
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            for try await _ in try signature.slices(from: 0, duration: 1) { return }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// The stored form of peaks: four bytes each.
///
/// | bits | meaning |
/// |---|---|
/// | 0–15 | frequency in 1/32 bin of 3.90625 Hz, 1 … 65535; 0 marks a pause |
/// | 16–24 | time since the previous record, or since the start, in 1/64 frame of 32 ms |
/// | 25–26 | rank, 3 for all from 3 on; 0 in a pause |
/// | 27–31 | level, as in `Peak.level`; 0 in a pause |
///
/// A pause is a record of 511 units of time without a peak, for a time that needs more than nine bits.
/// A signature has as few pauses as possible. Peaks are in order of time, then frequency.
///
/// Signatures of version 3 and catalogs of version 4 have 12 bits of time, 4 bits of rank and no level.
@usableFromInline package struct PeakRecords: Hashable, Sendable {
    @usableFromInline let timeBits: UInt32
    @usableFromInline let rankBits: UInt32

    @inlinable init(timeBits: UInt32, rankBits: UInt32) {
        self.timeBits = timeBits
        self.rankBits = rankBits
    }

    /// The form that this engine writes.
    @inlinable package static var current: PeakRecords { PeakRecords(timeBits: 9, rankBits: 2) }
    /// The form without levels.
    package static let withoutLevels = PeakRecords(timeBits: 12, rankBits: 4)

    /// The longest time that one record can span: 0.26 s in the current form.
    @inlinable package var longestStep: UInt32 { 1 << timeBits - 1 }
    /// The ranks that records tell apart.
    @inlinable package var ranks: Int { 1 << Int(rankBits) }

    /// Passes the records of `peaks` in order, each with the time of the previous one.
    @inlinable package func encode(
        _ peaks: some Sequence<Peak>, _ body: (_ record: UInt32, _ timeBefore: UInt32) throws -> Void
    ) rethrows {
        var time: UInt32 = 0
        for peak in peaks {
            while peak.time - time > longestStep {
                try body(longestStep << 16, time)
                time += longestStep
            }
            try body(
                UInt32(peak.level) << (16 + timeBits + rankBits)
                    | min(UInt32(peak.rank), UInt32(ranks - 1)) << (16 + timeBits)
                    | (peak.time - time) << 16 | UInt32(peak.frequency), time)
            time = peak.time
        }
    }

    /// The time since the previous record.
    @inlinable @inline(__always)
    package func step(_ record: UInt32) -> UInt32 { record >> 16 & longestStep }

    /// The peak of a record whose time is known; nil for a pause.
    @inlinable @inline(__always)
    package func peak(_ record: UInt32, time: UInt32) -> Peak? {
        let frequency = UInt16(truncatingIfNeeded: record)
        guard frequency != 0 else { return nil }
        return Peak(
            time: time, frequency: frequency,
            rank: UInt8(record >> (16 + timeBits) & UInt32(ranks - 1)),
            level: UInt8(record >> (16 + timeBits + rankBits)))
    }

    /// Reads `count` records.
    ///
    /// - Parameters:
    ///   - longest: The latest time of a peak, in 1/64 frame.
    ///   - ranks: The number of ranks; every rank is below it.
    /// - Throws: `FingerprintingError.malformedFile` for any records that `encode` would not make.
    package func decode(
        _ reader: inout ByteReader, count: Int, longest: UInt64, ranks: Int
    ) throws -> [Peak] {
        var peaks: [Peak] = []
        peaks.reserveCapacity(min(count, reader.remaining / 4))
        var time: UInt64 = 0
        var isAfterPause = false
        for _ in 0..<count {
            let place = reader.position
            let record = try reader.number(UInt32.self, "a peak")
            time += UInt64(step(record))
            guard time <= longest, let exactTime = UInt32(exactly: time) else {
                throw reader.error(at: place, expected: "a peak before the end of the recording")
            }
            guard let peak = peak(record, time: exactTime) else {
                guard record == longestStep << 16 else {
                    throw reader.error(
                        at: place, expected: "a pause of \(longestStep) units without rank and level")
                }
                isAfterPause = true
                continue
            }
            guard Int(peak.rank) < ranks else {
                throw reader.error(at: place, expected: "a rank below \(ranks), found \(peak.rank)")
            }
            guard !isAfterPause || step(record) > 0 else {
                throw reader.error(at: place, expected: "a peak some time after a pause")
            }
            isAfterPause = false
            if let last = peaks.last, !Peak.precedes(last, peak) {
                throw reader.error(at: place, expected: "peaks in order")
            }
            peaks.append(peak)
        }
        guard !isAfterPause else { throw reader.error(expected: "a peak after a pause") }
        return peaks
    }
}

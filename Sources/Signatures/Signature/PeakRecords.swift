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
@usableFromInline package enum PeakRecords {
    /// The longest time that one record can span: 0.26 s.
    @inlinable package static var longestStep: UInt32 { 511 }
    /// The ranks that records tell apart.
    @inlinable package static var ranks: Int { 4 }

    /// Passes the records of `peaks` in order, each with the time of the previous one.
    @inlinable package static func encode(
        _ peaks: some Sequence<Peak>, _ body: (_ record: UInt32, _ timeBefore: UInt32) throws -> Void
    ) rethrows {
        var time: UInt32 = 0
        for peak in peaks {
            while peak.time - time > longestStep {
                try body(longestStep << 16, time)
                time += longestStep
            }
            try body(
                UInt32(peak.level) << 27 | min(UInt32(peak.rank), UInt32(ranks - 1)) << 25
                    | (peak.time - time) << 16
                    | UInt32(peak.frequency), time)
            time = peak.time
        }
    }

    /// The time since the previous record.
    @inlinable @inline(__always)
    package static func step(_ record: UInt32) -> UInt32 { record >> 16 & 0x1FF }

    /// The peak of a record whose time is known; nil for a pause.
    @inlinable @inline(__always)
    package static func peak(_ record: UInt32, time: UInt32) -> Peak? {
        let frequency = UInt16(truncatingIfNeeded: record)
        guard frequency != 0 else { return nil }
        return Peak(
            time: time, frequency: frequency, rank: UInt8(record >> 25 & 3), level: UInt8(record >> 27))
    }

    /// Reads `count` records.
    ///
    /// - Parameters:
    ///   - longest: The latest time of a peak, in 1/64 frame.
    ///   - ranks: The number of ranks; every rank is below it.
    /// - Throws: `FingerprintingError.malformedFile` for any records that `encode` would not make.
    package static func decode(
        _ reader: inout ByteReader, records: Int, longest: UInt64, ranks: Int
    ) throws -> [Peak] {
        var peaks: [Peak] = []
        peaks.reserveCapacity(min(records, reader.remaining / 4))
        var time: UInt64 = 0
        var isAfterPause = false
        for _ in 0..<records {
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

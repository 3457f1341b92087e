/// The stored form of peaks: four bytes each.
///
/// | bits | meaning |
/// |---|---|
/// | 0–15 | frequency in 1/64 bin of 3.90625 Hz, 1 … 65535; 0 marks a pause |
/// | 16–27 | time since the record before, or since the start, in 1/64 frame of 32 ms |
/// | 28–31 | rank; 0 in a pause |
///
/// A pause is a record without a peak: time passes that twelve bits cannot hold. Peaks are in
/// order of time, then frequency.
enum PeakRecords {
    /// The longest time that one record can span: 2 s.
    private static let longestStep: UInt32 = 4095

    /// Appends the records of `peaks`; gives how many there are.
    static func encode(_ peaks: some Sequence<Peak>, into writer: inout ByteWriter) -> Int {
        var time: UInt32 = 0
        var records = 0
        for peak in peaks {
            while peak.time - time > longestStep {
                writer.append(longestStep << 16)
                time += longestStep
                records += 1
            }
            writer.append(UInt32(peak.rank) << 28 | (peak.time - time) << 16 | UInt32(peak.frequency))
            time = peak.time
            records += 1
        }
        return records
    }

    /// Reads `count` records.
    ///
    /// - Parameter longest: no peak may lie later than this, in 1/64 frame.
    static func decode(_ reader: inout ByteReader, records: Int, longest: UInt64) throws -> [Peak] {
        var peaks: [Peak] = []
        peaks.reserveCapacity(min(records, reader.remaining / 4))
        var time: UInt64 = 0
        for _ in 0..<records {
            let place = reader.position
            let record = try reader.number(UInt32.self, "a peak")
            let frequency = UInt16(truncatingIfNeeded: record)
            time += UInt64(record >> 16 & 0xFFF)
            guard time <= longest, let time = UInt32(exactly: time) else {
                throw reader.error(at: place, expected: "a peak before the end of the recording")
            }
            guard frequency != 0 else {
                guard record >> 28 == 0 else {
                    throw reader.error(at: place, expected: "a pause without rank")
                }
                continue
            }
            let peak = Peak(time: time, frequency: frequency, rank: UInt8(record >> 28))
            if let last = peaks.last, !Peak.precedes(last, peak) {
                throw reader.error(at: place, expected: "peaks in order")
            }
            peaks.append(peak)
        }
        return peaks
    }
}

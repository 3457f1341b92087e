/// The stored form of a signature's description: 40 bytes.
///
/// | byte | size | meaning |
/// |---|---|---|
/// | 0 | 8 | number of sample frames of the recording |
/// | 8 | 4 | sample rate in hertz, 1000 … 768000 |
/// | 12 | 1 | ranks kept, 1 … 16; every peak's rank is below |
/// | 13 | 1 | bit 0: the channels all but cancel in their mean; other bits 0 |
/// | 14 | 2 | 0 |
/// | 16 | 8 | number of peaks |
/// | 24 | 8 | number of peak records, pauses included |
/// | 32 | 8 | identity of the analysis |
struct SignatureRecord {
    let frameCount: Int
    let sampleRate: Int
    let keptRanks: Int
    let channelsCancel: Bool
    let peakCount: Int
    let recordCount: Int
    let analysisIdentity: UInt64

    /// Appends the record of `signature`, whose peaks took `recordCount` records.
    static func encode(_ signature: Signature, recordCount: Int, into writer: inout ByteWriter) {
        writer.append(UInt64(signature.frameCount))
        writer.append(UInt32(signature.sampleRate))
        writer.append(UInt8(signature.keptRanks))
        writer.append(UInt8(signature.channelsCancel ? 1 : 0))
        writer.append(UInt16(0))
        writer.append(UInt64(signature.peaks.count))
        writer.append(UInt64(recordCount))
        writer.append(signature.analysisIdentity)
    }

    init(_ reader: inout ByteReader) throws {
        frameCount = try reader.count(
            UInt64.self, "a number of frames", atMost: ReferenceTable.mostFrames - 1)
        let ratePlace = reader.position
        sampleRate = try reader.count(
            UInt32.self, "a sample rate", atMost: SpectrumStream.sampleRates.upperBound)
        guard SpectrumStream.sampleRates.contains(sampleRate) else {
            throw reader.error(
                at: ratePlace, expected: "a sample rate of at least 1000 Hz, found \(sampleRate)")
        }
        let ranksPlace = reader.position
        keptRanks = try reader.count(UInt8.self, "ranks", atMost: 16)
        guard keptRanks > 0 else { throw reader.error(at: ranksPlace, expected: "at least one rank") }
        channelsCancel = try reader.count(UInt8.self, "flags", atMost: 1) == 1
        _ = try reader.count(UInt16.self, "two zero bytes", atMost: 0)
        peakCount = try reader.count(UInt64.self, "a number of peaks", atMost: .max)
        recordCount = try reader.count(UInt64.self, "a number of peak records", atMost: .max)
        analysisIdentity = try reader.number(UInt64.self, "an identity of the analysis")
    }

    /// The latest time of a peak, in 1/64 frame: a frame beyond the end, as the last may be interpolated past it.
    static func longestTime(frameCount: Int, sampleRate: Int) -> UInt64 {
        let seconds = Double(frameCount) / Double(sampleRate)
        let frames = seconds / FrequencyScale.frameSeconds
        return UInt64(frames * Double(FrequencyScale.steps)) + UInt64(FrequencyScale.steps)
    }

    /// Reads the peaks and makes the signature.
    func signature(_ reader: inout ByteReader) throws -> Signature {
        let place = reader.position
        guard recordCount <= reader.remaining / 4 else {
            throw reader.error(expected: "\(recordCount) peak records, found \(reader.remaining / 4)")
        }
        let longest = Self.longestTime(frameCount: frameCount, sampleRate: sampleRate)
        let peaks = try PeakRecords.decode(
            &reader, records: recordCount, longest: longest, ranks: keptRanks)
        guard peaks.count == peakCount else {
            throw reader.error(at: place, expected: "\(peakCount) peaks, found \(peaks.count)")
        }
        return Signature(
            peaks: peaks, frameCount: frameCount, sampleRate: sampleRate, keptRanks: keptRanks,
            channelsCancel: channelsCancel, analysisIdentity: analysisIdentity)
    }
}

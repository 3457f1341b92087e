import AudioCore

/// Signature files, `.earsignature`: a `SectionFile` with the letters `EARSIG`, version 4.
///
/// Section `INFO` is one `SignatureRecord`, section `PEAKS` its `PeakRecords`. Section `RANKS` is there if more ranks are
/// kept than records tell apart: a byte for each peak. The optional section `HEIGHTS` has one byte for each peak: its
/// height above its surroundings, in 1/16 of log2 power above −2.
///
/// Version 3 has no `RANKS`: its records hold all ranks, and no levels.
extension Signature {
    package static let fileKind = FileKind(
        letters: "EARSIG", versions: 3...4, noun: "a signature")
    /// The version of the files that this engine writes.
    package static var currentVersion: UInt32 { fileKind.versions.upperBound }
    /// The version of a signature file, by its first bytes, which may be any.
    package static func version(ofFile bytes: [UInt8]) -> UInt32? {
        guard bytes.count >= 12, bytes.starts(with: fileKind.magic) else { return nil }
        return bytes[8..<12].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    /// The extension of a signature file's name.
    public static let fileExtension = "earsignature"
    /// The extensions of all files that are read as signatures; the bytes are the same.
    package static let fileExtensions: Set = [fileExtension, "shazamsignature"]

    /// The bytes of a signature file.
    public func encoded() -> [UInt8] { SectionFileWriter.encode(kind: Self.fileKind, sections) }

    /// The sections of a signature file.
    package var sections: [(name: String, bytes: [UInt8])] {
        var records = ByteWriter()
        PeakRecords.current.encode(peaks) { record, _ in records.append(record) }
        var info = ByteWriter()
        SignatureRecord.encode(self, recordCount: records.bytes.count / 4, into: &info)
        var sections = [("INFO", info.bytes), ("PEAKS", records.bytes)]
        if keptRanks > PeakRecords.current.ranks { sections.append(("RANKS", peaks.map(\.rank))) }
        if hasHeights { sections.append(("HEIGHTS", peaks.map(\.height))) }
        return sections
    }
}

/// The stored form of a signature without its peaks: 40 bytes.
///
/// | byte | size | meaning |
/// |---|---|---|
/// | 0 | 8 | number of sample frames of the recording |
/// | 8 | 4 | sample rate in hertz, 1000 … 768000 |
/// | 12 | 1 | ranks kept, 1 … 16; more than every peak's rank |
/// | 13 | 1 | bit 0: the channels nearly cancel in their mean; other bits 0 |
/// | 14 | 2 | 0 |
/// | 16 | 8 | number of peaks |
/// | 24 | 8 | number of peak records, pauses included |
/// | 32 | 8 | identity of the analysis |
package struct SignatureRecord {
    package let frameCount: Int
    package let sampleRate: Int
    package let keptRanks: Int
    package let channelsCancel: Bool
    package let peakCount: Int
    package let recordCount: Int
    package let analysisIdentity: UInt64

    /// Appends the record of `signature`, whose peaks took `recordCount` records.
    package static func encode(_ signature: Signature, recordCount: Int, into writer: inout ByteWriter) {
        writer.append(UInt64(signature.frameCount))
        writer.append(UInt32(signature.sampleRate))
        writer.append(UInt8(signature.keptRanks))
        writer.append(UInt8(signature.channelsCancel ? 1 : 0))
        writer.append(UInt16(0))
        writer.append(UInt64(signature.peaks.count))
        writer.append(UInt64(recordCount))
        writer.append(signature.analysisIdentity)
    }

    package init(_ reader: inout ByteReader) throws {
        frameCount = try reader.count(UInt64.self, "a number of frames", atMost: Signature.mostFrames - 1)
        let ratePlace = reader.position
        sampleRate = try reader.count(UInt32.self, "a sample rate", atMost: Signature.sampleRates.upperBound)
        guard Signature.sampleRates.contains(sampleRate) else {
            throw reader.error(
                at: ratePlace, expected: "a sample rate of at least 1000 Hz, found \(sampleRate)")
        }
        let ranksPlace = reader.position
        keptRanks = try reader.count(UInt8.self, "ranks", atMost: Peak.ranks)
        guard keptRanks > 0 else { throw reader.error(at: ranksPlace, expected: "at least one rank") }
        channelsCancel = try reader.count(UInt8.self, "flags", atMost: 1) == 1
        _ = try reader.count(UInt16.self, "two zero bytes", atMost: 0)
        peakCount = try reader.count(UInt64.self, "a number of peaks", atMost: .max)
        recordCount = try reader.count(UInt64.self, "a number of peak records", atMost: .max)
        analysisIdentity = try reader.number(UInt64.self, "an identity of the analysis")
    }

    /// The latest time of a peak, in 1/64 frame: interpolation may place the last one up to a frame of the low band after the end.
    package static func longestTime(frameCount: Int, sampleRate: Int) -> UInt64 {
        let seconds = Double(frameCount) / Double(sampleRate)
        let frames = seconds / FrequencyScale.frameSeconds
        return UInt64(bounded: frames * Double(FrequencyScale.timeSteps))
            + UInt64(2 * FrequencyScale.timeSteps)
    }

    package func signature(_ reader: inout ByteReader, records: PeakRecords) throws -> Signature {
        let place = reader.position
        guard recordCount <= reader.remaining / 4 else {
            throw reader.error(expected: "\(recordCount) peak records, found \(reader.remaining / 4)")
        }
        let longest = Self.longestTime(frameCount: frameCount, sampleRate: sampleRate)
        let peaks = try records.decode(&reader, count: recordCount, longest: longest, ranks: keptRanks)
        guard peaks.count == peakCount else {
            throw reader.error(at: place, expected: "\(peakCount) peaks, found \(peaks.count)")
        }
        return Signature(
            peaks: peaks, frameCount: frameCount, sampleRate: sampleRate, keptRanks: keptRanks,
            channelsCancel: channelsCancel, analysisIdentity: analysisIdentity)
    }
}

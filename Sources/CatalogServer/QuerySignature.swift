import AudioIO
import EarshotKit
import Fingerprinting

/// The signature of a query, checked.
struct QuerySignature: Sendable {
    /// 12 s of stereo at 96 kHz, because compressed audio may be much longer than its bytes.
    private static let mostSamples = 2 * 96_000 * 12

    let signature: Signature

    /// Reads the body of a request: a signature file.
    init(_ body: [UInt8]) throws(CatalogFault) {
        do {
            signature = try Signature(encoded: body, name: "the body")
        } catch {
            throw CatalogFault(
                .signatureInvalid, "\(error)", remedy: "Send the bytes of a signature file (.earsignature).")
        }
        try Self.requireAnalysis(of: signature)
        try Self.requireContent(of: signature)
    }

    /// Reads the body of a request: an audio file.
    ///
    /// Formats that need another program are refused.
    init(audio body: [UInt8]) throws(CatalogFault) {
        do {
            let reader = try AudioFileReader(
                bytes: body, name: "the body", startsPrograms: false, in: DecoderSandbox.current)
            guard let audio = try AudioFile.read(reader, atMost: Self.mostSamples) else {
                throw Self.wrongDuration("is longer than that of a query")
            }
            var extractor = try SignatureExtractor(
                sampleRate: audio.sampleRate, channelCount: audio.channelCount, detail: .query)
            try extractor.append(audio)
            signature = try extractor.finish()
        } catch let fault as CatalogFault {
            throw fault
        } catch {
            throw CatalogFault(
                .audioInvalid, "\(error)", remedy: "Send a WAV, FLAC, Ogg or MP3 file of the sound.")
        }
        try Self.requireContent(of: signature)
    }

    private static func wrongDuration(_ text: String) -> CatalogFault {
        let allowed = CatalogFacts.queryDurations
        return CatalogFault(
            .durationInvalid,
            "the query \(text), the catalog accepts \(allowed.lowerBound) to \(allowed.upperBound) s",
            remedy: "Send a part of it.")
    }

    private static func requireContent(of signature: Signature) throws(CatalogFault) {
        guard CatalogFacts.queryDurations.contains(signature.durationSeconds) else {
            throw wrongDuration("lasts \(signature.durationSeconds) s")
        }
        try requirePeaks(of: signature, named: "query")
    }

    /// Throws if the signature has no peaks, or more than any audio has, each of which costs a search.
    static func requirePeaks(of signature: Signature, named name: String) throws(CatalogFault) {
        guard !signature.isDense else {
            throw CatalogFault(
                .signatureInvalid,
                "the signature has \(signature.peaks.count) peaks, more than audio of its length has",
                remedy: "Make it from audio.")
        }
        guard !signature.peaks.isEmpty else {
            throw CatalogFault(
                .signatureInvalid, "the \(name) has no peaks: its audio is silent",
                remedy: "Send audio with sound.")
        }
    }

    /// Throws unless the signature can be compared with those of the catalog.
    static func requireAnalysis(of signature: Signature) throws(CatalogFault) {
        let expected = Settings().analysis.identity
        guard signature.analysisIdentity == expected else {
            throw CatalogFault(
                .analysisDiffers,
                "the signature has the analysis \(CatalogFacts.text(ofIdentity: signature.analysisIdentity)),"
                    + " the catalog \(CatalogFacts.text(ofIdentity: expected))",
                remedy: "Make the signature with engine \(Settings.engineVersion).")
        }
    }
}

extension MatchOptions {
    /// Reads the parameters of a request.
    init(_ parameters: [String: String]) throws(CatalogFault) {
        func number(_ name: String, in range: ClosedRange<Double>) throws(CatalogFault) -> Double? {
            guard let text = parameters[name] else { return nil }
            guard let value = Double(text), range.contains(value) else {
                throw CatalogFault(
                    .badRequest, "the parameter \(name) is \"\(text.prefix(40))\"",
                    remedy: "It is a number of \(range.lowerBound) to \(range.upperBound).")
            }
            return value
        }
        try parameters.requireOnly(["followSeconds", "minimumScore", "wholeHours"])
        followSeconds = try number("followSeconds", in: 0...CatalogLimit.followSeconds.value)
        minimumScore = try number("minimumScore", in: -1e6...1e6)
        wholeHours = try number("wholeHours", in: CatalogLimit.hours)
    }
}

extension [String: String] {
    /// Throws if a request has a parameter that is not among the known ones.
    func requireOnly(_ known: [String]) throws(CatalogFault) {
        guard let unknown = keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw CatalogFault(
            .badRequest, "there is no parameter \"\(unknown.prefix(40))\"",
            remedy: known.isEmpty ? "Leave it out." : "Parameters are \(known.joined(separator: ", ")).")
    }
}

import AudioIO
import Foundation
import Matchers
import SystemIO

/// Answers the contract of external matchers with a built-in matcher.
///
/// So the built-in matcher can be measured as other programs are. The price of the contract is a process, JSON, and
/// queries from files of 16 bits.
package struct AdapterServer {
    private let matcher: any Matcher

    package init(_ contestant: Contestant) throws { matcher = try contestant.make() }

    /// Answers each line that `next` gives until it gives none.
    ///
    /// - Parameter send: Receives an answer without its line end.
    package func serve(_ next: () -> String?, send: (String) throws -> Void) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        while let line = next() {
            let answer: any Encodable
            do {
                answer = try self.answer(JSONDecoder().decode(AdapterRequest.self, from: Data(line.utf8)))
            } catch let error as DecodingError {
                answer = AdapterReply.Refusal(error: "no request: \(error.place)")
            } catch {
                answer = AdapterReply.Refusal(error: "\(error)")
            }
            try send(String(decoding: encoder.encode(answer), as: UTF8.self))
        }
    }

    private func answer(_ request: AdapterRequest) throws -> any Encodable {
        switch request.op {
        case "hello":
            let newest = min(request.newest ?? 1, HelloAnswer.protocols.upperBound)
            return HelloAnswer(
                protocol: newest == 2 && !operations.contains(.passages) ? 1 : newest, name: matcher.name,
                version: matcher.version, settings: matcher.settings.mapValues(SettingValue.word),
                operations: newest >= 3 ? operations.map(\.rawValue) : nil)
        case "enrol":
            let id = try required(request.id, "id")
            try matcher.enrol(id: id, audio: AudioFile.read(required(request.path, "path")))
            return DoneAnswer(ok: true)
        case "ready":
            return DoneAnswer(ok: true, indexBytes: try matcher.finishEnrolment())
        case "identify":
            let name = try required(request.query, "query")
            let audio = try AudioFile.read(required(request.path, "path"))
            return IdentifyAnswer(
                query: name,
                answers: try matcher.identify(Query(name: name, audio: audio)).map { candidate in
                    IdentifyAnswer.Answer(
                        id: candidate.referenceID, offsetSeconds: candidate.offsetSeconds,
                        frequencySkew: candidate.frequencySkew, timeSkew: candidate.timeSkew,
                        score: candidate.score, confidence: candidate.confidence,
                        accepted: candidate.isAccepted, related: candidate.isRelated ? true : nil)
                })
        case "passages":
            return PassagesAnswer(
                query: try required(request.query, "query"),
                answers: try passages(of: required(request.path, "path")).map { passage in
                    PassagesAnswer.Answer(
                        id: passage.referenceID, queryRange: passage.queryRange,
                        referenceRange: passage.referenceRange, frequencySkew: passage.frequencySkew,
                        timeSkew: passage.timeSkew, score: passage.score, confidence: passage.confidence)
                })
        case "explain":
            guard let explain = matcher.powers.explain else {
                throw ExternalMatcherError("\(matcher.name) does not explain its answers")
            }
            let name = try required(request.query, "query")
            let places = (request.places ?? []).map { place in
                ReferencePlace(
                    referenceID: place.id, offsetSeconds: place.offsetSeconds,
                    frequencySkew: place.frequencySkew ?? 0, timeSkew: place.timeSkew ?? 0)
            }
            let query = Query(name: name, audio: try AudioFile.read(required(request.path, "path")))
            return ExplainAnswer(try explain(query, places), of: name)
        default:
            throw ExternalMatcherError(
                "`op` is '\(VisibleText.quoted(request.op))'; expected hello, enrol, ready, identify, passages or "
                    + "explain")
        }
    }

    private var operations: [AdapterOperation] {
        let powers = matcher.powers
        return (powers.startPassages == nil ? [] : [.passages]) + (powers.explain == nil ? [] : [.explain])
    }

    private func passages(of path: String) throws -> [Passage] {
        guard let start = matcher.powers.startPassages else {
            throw ExternalMatcherError("\(matcher.name) does not find passages")
        }
        let reader = try AudioFileReader(path: path)
        var stream = try start(reader.sampleRate, reader.channelCount)
        var passages: [Passage] = []
        while let block = try reader.read(maxFrames: 1 << 16) { passages += try stream.append(block) }
        return try passages + stream.finish()
    }

    private func required(_ value: String?, _ key: String) throws -> String {
        guard let value else { throw ExternalMatcherError("the request has no `\(key)`") }
        return value
    }
}

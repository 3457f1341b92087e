import AudioCore
import AudioIO
import Corpora
import Foundation
import MatcherAdapters
import Matchers
import TestSupport
import Testing

/// Our own engine as an external matcher.
@Suite struct AdapterServerTests {
    private func replies(to requests: [String]) throws -> [String] {
        var rest = requests[...]
        var replies: [String] = []
        try AdapterServer(Contestants.earshot).serve({ rest.popFirst() }, send: { replies.append($0) })
        return replies
    }

    @Test func answersAreThoseOfTheEngineInThisProcess() throws {
        let folder = try TemporaryFolder()
        let song = SyntheticMusic(seed: 7, seconds: 20).render()
        let path = folder.file("song.wav")
        let encoding = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(song, to: path, as: encoding)
        let stored = try AudioFile.read(path)
        let query = stored.frames(200_000..<420_000)
        try AudioFile.write(query, to: folder.file("query.wav"), as: encoding)

        let matcher = try Contestants.earshot.make()
        try matcher.enrol(id: "song", audio: stored)
        let bytes = try #require(try matcher.finishEnrolment())
        let expected = try #require(
            try matcher.identify(Query(name: "q", audio: AudioFile.read(folder.file("query.wav")))).first)

        let replies = try replies(
            to: [
                #"{"op":"hello","protocol":1}"#, #"{"op":"enrol","id":"song","path":"\#(path)"}"#,
                #"{"op":"ready"}"#, #"{"op":"identify","query":"q","path":"\#(folder.file("query.wav"))"}"#,
                #"{"op":"explain","query":"e","path":"\#(folder.file("query.wav"))","places":"#
                    + #"[{"id":"song","offsetSeconds":4.5}]}"#,
            ])
        #expect(replies[0].contains(#""name":"earshot","protocol":1"#))
        #expect(replies[1] == #"{"ok":true}"#)
        #expect(replies[2] == #"{"indexBytes":\#(bytes),"ok":true}"#)
        let reply = try #require(
            try JSONSerialization.jsonObject(with: Data(replies[3].utf8)) as? [String: Any])
        let answer = try #require((reply["answers"] as? [[String: Any]])?.first)
        #expect(answer["id"] as? String == "song" && answer["accepted"] as? Bool == true)
        // The reader of JSON may err by the last bit.
        func isNear(_ value: Any?, _ number: Double) -> Bool {
            (value as? Double).map { abs($0 - number) <= 1e-12 * abs(number) } ?? false
        }
        #expect(try isNear(answer["offsetSeconds"], #require(expected.offsetSeconds)))
        #expect(isNear(answer["score"], expected.score))

        let explain = try #require(matcher.powers.explain)
        let place = ReferencePlace(
            referenceID: "song", offsetSeconds: 4.5, frequencySkew: 0, timeSkew: 0)
        let explanation = try explain(
            Query(name: "e", audio: AudioFile.read(folder.file("query.wav"))), [place])
        let explained = try #require(
            try JSONSerialization.jsonObject(with: Data(replies[4].utf8)) as? [String: Any])
        let peaks = try #require(explained["queryPeaks"] as? [[Double]])
        #expect(peaks.count == explanation.queryPeaks.count && peaks.allSatisfy { $0.count == 2 })
        let alignment = try #require((explained["alignments"] as? [[String: Any]])?.first)
        #expect((alignment["pairs"] as? [[Int]])?.count == explanation.alignments.first?.pairs.count)
        let candidate = try #require((explained["candidates"] as? [[String: Any]])?.first)
        #expect((candidate["parts"] as? [Any])?.count == explanation.candidates.first?.parts.count)
        let threshold = try #require(explanation.threshold)
        #expect(isNear(explained["threshold"], threshold))
    }

    /// Protocol 1 stays for a judge that does not name a newer one.
    @Test func theNewestCommonProtocolIsSpoken() throws {
        let replies = try replies(
            to: [#"{"op":"hello","protocol":1}"#]
                + [2, 3, 4].map { #"{"newest":\#($0),"op":"hello","protocol":1}"# })
        for (reply, number) in zip(replies, [1, 2, 3, 3]) {
            #expect(reply.contains(#""protocol":\#(number)"#))
            #expect(reply.contains(#""operations":["passages","explain"]"#) == (number == 3))
        }
    }

    @Test func passagesAreThoseOfTheEngineInThisProcess() throws {
        let folder = try TemporaryFolder()
        let song = SyntheticMusic(seed: 7, seconds: 30).render()
        let other = SyntheticMusic(seed: 8, seconds: 30).render()
        let encoding = try #require(AudioEncoding("wav-pcm16"))
        let day = AudioBuffer(
            samples: [song, other, song].flatMap { $0.mono()[200_000..<900_000] }, sampleRate: song.sampleRate
        )
        try AudioFile.write(song, to: folder.file("song.wav"), as: encoding)
        try AudioFile.write(day, to: folder.file("day.wav"), as: encoding)

        let matcher = try Contestants.earshot.make()
        try matcher.enrol(id: "song", audio: AudioFile.read(folder.file("song.wav")))
        _ = try matcher.finishEnrolment()
        let start = try #require(matcher.powers.startPassages)
        let stored = try AudioFile.read(folder.file("day.wav"))
        var stream = try start(stored.sampleRate, stored.channelCount)
        let expected = try stream.append(stored) + stream.finish()
        #expect(expected.count == 2)

        let replies = try replies(
            to: [
                #"{"op":"enrol","id":"song","path":"\#(folder.file("song.wav"))"}"#, #"{"op":"ready"}"#,
                #"{"op":"passages","query":"d","path":"\#(folder.file("day.wav"))"}"#,
            ])
        let reply = try #require(
            try JSONSerialization.jsonObject(with: Data(replies[2].utf8)) as? [String: Any])
        let answers = try #require(reply["answers"] as? [[String: Any]])
        #expect(reply["query"] as? String == "d" && answers.count == expected.count)
        for (answer, passage) in zip(answers, expected) {
            #expect(answer["id"] as? String == passage.referenceID)
            for (key, range) in [
                ("queryRange", passage.queryRange), ("referenceRange", passage.referenceRange),
            ] {
                let ends = try #require(answer[key] as? [Double])
                #expect(abs(ends[0] - range.lowerBound) < 1e-9 && abs(ends[1] - range.upperBound) < 1e-9)
            }
        }
    }

    @Test func mistakesAreNamedAndTheNextRequestIsAnswered() throws {
        let replies = try replies(
            to: [
                "nonsense", #"{"op":"dance"}"#, #"{"op":"enrol"}"#,
                #"{"op":"enrol","id":"a","path":"/nonexistent.wav"}"#, #"{"op":"ready"}"#,
            ])
        for (reply, part) in zip(replies, ["no request", "`op` is 'dance'", "no `id`", "/nonexistent.wav"]) {
            #expect(reply.hasPrefix(#"{"error":"#) && reply.contains(part), "\(reply)")
        }
        #expect(replies[4].contains(#""ok":true"#))
    }
}

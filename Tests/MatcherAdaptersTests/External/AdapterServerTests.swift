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
        #expect(isNear(answer["offsetSeconds"], expected.offsetSeconds))
        #expect(isNear(answer["score"], expected.score))
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

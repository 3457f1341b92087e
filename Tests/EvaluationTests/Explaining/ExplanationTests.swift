import AudioCore
import Corpora
import Evaluation
import Foundation
import MatcherAdapters
import Matchers
import Testing

@Suite struct ExplanationTests {
    private static let music = (1...6).map { SyntheticMusic(seed: UInt64($0), seconds: 20).render() }
    private static let matcher: (any Matcher)? = {
        guard let matcher = try? Contestants.earshot.make() else { return nil }
        for (number, audio) in music.dropLast().enumerated() {
            try? matcher.enrol(id: "song \(number)", audio: audio)
        }
        _ = try? matcher.finishEnrolment()
        return matcher
    }()

    /// 5 s of a song, with even noise of an amplitude.
    private func query(_ song: Int, at seconds: Double, noise: Float = 0) -> AudioBuffer {
        let source = Self.music[song]
        let start = Int(seconds * Double(source.sampleRate))
        var audio = source.frames(start..<(start + 5 * source.sampleRate))
        var generator = SeededGenerator(seed: 3, "\(song) \(seconds)")
        for channel in 0..<audio.channelCount where noise > 0 {
            audio.withMutableChannel(channel) { plane in
                for place in plane.indices {
                    plane[place] += Float(generator.uniform(in: -1...1)) * noise
                }
            }
        }
        return audio
    }

    private func inverted(_ audio: AudioBuffer) -> AudioBuffer {
        let plane = audio.channel(0)
        return AudioBuffer(
            samples: plane + plane.map { -$0 }, sampleRate: audio.sampleRate, channelCount: 2)
    }

    private func place(_ song: Int, _ seconds: Double) -> ReferencePlace {
        ReferencePlace(referenceID: "song \(song)", offsetSeconds: seconds, frequencySkew: 0, timeSkew: 0)
    }

    @Test func theLadderIsTheAnswerAndItsPartsAddUp() throws {
        let matcher = try #require(Self.matcher)
        let explain = try #require(matcher.powers.explain)
        let queries = [
            query(0, at: 3), query(1, at: 7, noise: 0.3), query(2, at: 2, noise: 1.5), query(5, at: 4),
            inverted(query(3, at: 6)), AudioBuffer(silentFrames: 44_100, sampleRate: 44_100),
        ]
        var explained = 0
        for audio in queries {
            let query = Query(name: "q", audio: audio)
            let explanation = try explain(query, [])
            #expect(try explanation.candidates.map(\.candidate) == matcher.identify(query))
            #expect(explanation.alignments.isEmpty)
            for rung in explanation.candidates {
                let sum = rung.parts.reduce(0) { $0 + $1.amount }
                #expect(rung.parts.count == 12 && abs(sum - rung.candidate.score) < 1e-9)
                #expect(
                    rung.candidate.isAccepted
                        == (rung.candidate.score >= (explanation.threshold ?? .infinity)))
                #expect((rung.matchedPeaks ?? -1) <= (rung.comparedPeaks ?? -1))
                explained += 1
            }
            let length = audio.durationSeconds
            #expect(explanation.queryPeaks.allSatisfy { $0.seconds >= -0.2 && $0.seconds < length + 0.2 })
            #expect(explanation.queryPeaks.allSatisfy { (29...7500).contains($0.hertz ?? 0) })
        }
        #expect(explained >= 5)
    }

    /// An adapter may explain related answers, which are no candidates.
    @Test func relatedAnswersAreLeftOut() throws {
        let matcher = try #require(Self.matcher)
        let query = Query(name: "q", audio: query(0, at: 3))
        let explain = try #require(matcher.powers.explain)
        let explanation = try explain(query, [])
        let answers = explanation.candidates.map(\.candidate)
        var related = Candidate(referenceID: "other take", offsetSeconds: 3, score: 99, isAccepted: true)
        related.isRelated = true
        for place in [0, answers.count] {
            var both = explanation
            both.candidates.insert(
                ExplainedCandidate(related, parts: [], matchedPeaks: nil, comparedPeaks: nil), at: place)
            #expect(try both.explaining([related] + answers).candidates.map(\.candidate) == answers)
        }
        #expect(throws: TrialError.self) {
            var both = explanation
            both.candidates.insert(
                ExplainedCandidate(related, parts: [], matchedPeaks: nil, comparedPeaks: nil), at: 0)
            _ = try both.explaining(answers)
        }
    }

    @Test func peaksAgreeAndVotesPeakAtTheOffset() throws {
        let matcher = try #require(Self.matcher)
        let explain = try #require(matcher.powers.explain)
        let query = Query(name: "q", audio: query(1, at: 7))
        let explanation = try explain(query, [place(1, 7), place(1, 8.1), place(4, 7)])
        let (right, late, wrong) = (
            explanation.alignments[0], explanation.alignments[1], explanation.alignments[2]
        )
        #expect(right.place == place(1, 7))
        #expect(
            right.pairs.count > 4 * max(1, wrong.pairs.count), "\(right.pairs.count), \(wrong.pairs.count)")
        for pair in right.pairs {
            let heard = explanation.queryPeaks[pair.query]
            let kept = right.referencePeaks[pair.reference]
            // Within the engine's box of 0.85 frame and 0.8 bin.
            #expect(abs(kept.seconds - heard.seconds - 7) < 0.0285)
            let (one, other) = (try #require(kept.hertz), try #require(heard.hertz))
            #expect(abs(one - other) < 3.3)
        }
        #expect(right.referencePeaks.contains { $0.seconds < 6.5 }, "no margin before the place")
        let votes = right.votes
        let best = try #require(votes.counts.indices.max { votes.counts[$0] < votes.counts[$1] })
        func middle(_ bin: Int) -> Double { votes.firstSeconds + Double(bin) * votes.binSeconds }
        #expect(abs(middle(best)) < 0.04)
        #expect(votes.counts[best] >= right.pairs.count / 2)
        #expect(votes.counts.count == 125 && abs(middle(124) + votes.firstSeconds) < 1e-9)
        // Aligned 1.1 s too late, the votes are for 1.1 s earlier.
        let shifted = try #require(
            late.votes.counts.indices.max { late.votes.counts[$0] < late.votes.counts[$1] })
        #expect(abs(middle(shifted) + 1.1) < 0.04)
    }

    @Test func missingPlacesHaveNoPeaks() throws {
        let matcher = try #require(Self.matcher)
        let explain = try #require(matcher.powers.explain)
        let query = Query(name: "q", audio: query(0, at: 3))
        let far = [place(77, 1), place(0, -300), place(0, 1e6)]
        let explanation = try explain(query, far)
        #expect(explanation.alignments.map(\.place) == far)
        for alignment in explanation.alignments {
            #expect(alignment.pairs.isEmpty && alignment.referencePeaks.isEmpty)
        }
    }
}

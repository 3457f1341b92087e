import AudioCore
import AudioIO
import Degradations
import Evaluation
import Foundation

extension ConformanceCheck {
    /// Queries at the edges of what may come: answered or refused, and the next one answered as ever.
    func checkOddQueries(of known: CheckMusic.Question) {
        let clean = known.audio
        let stretch = clean.frames(0..<clean.frameCount / 2)
        let reference = known.reference
        var queries: [(name: String, audio: AudioBuffer, reference: Int?, isFair: Bool)] = [
            (
                "silence", AudioBuffer(silentFrames: clean.sampleRate * 5, sampleRate: clean.sampleRate), nil,
                false
            ),
            ("one sample", clean.frames(0..<1), reference, false),
            ("0.05 s", clean.frames(0..<clean.sampleRate / 20), reference, false),
            ("mono", AudioBuffer(samples: clean.mono(), sampleRate: clean.sampleRate), reference, true),
            ("5 s", stretch, reference, true),
        ]
        for rate in [8000, 192_000] {
            guard let audio = try? Resampler.resample(clean, to: rate, quality: .fastest) else { continue }
            queries.append(("\(rate / 1000) kHz", audio, reference, true))
        }
        for query in queries {
            checkOddQuery(query.name, query.audio, query.reference, isFair: query.isFair)
        }
    }

    /// Puts a query that is in `reference`, and that a matcher should find if it is fair.
    private func checkOddQuery(_ name: String, _ audio: AudioBuffer, _ reference: Int?, isFair: Bool) {
        do {
            let adapter = try adapter()
            do {
                let claim = try adapter.identify(audio, as: Self.opaque(name, 0)).claim
                switch claim {
                case nil: note(isFair ? .warn : .pass, name, "answered, not found")
                case let claim? where claim.referenceID == reference.map(String.init):
                    note(.pass, name, "answered, right")
                default: note(.warn, name, "answered, something wrong accepted")
                }
            } catch let error as ExternalMatcherError where !error.isFatal {
                note(.pass, name, "refused: \(error)")
            }
        } catch {
            note(.fail, name, "\(error)", expected: "an answer or an `error`")
        }
    }

    func checkUnreadable() {
        do {
            let adapter = try adapter()
            let garbage = adapter.process.folder.path + "/garbage.wav"
            try Data(repeating: 0x2A, count: 3000).write(to: URL(fileURLWithPath: garbage))
            for (what, path) in [("no such file", garbage + ".gone"), ("a file of asterisks", garbage)] {
                do {
                    let reply = try adapter.identify(path: path, as: Self.opaque("unreadable", path.count))
                    note(
                        reply.claim == nil ? .warn : .fail, what,
                        "answered with \(reply.count) candidates",
                        expected: "an `error`")
                } catch let error as ExternalMatcherError where !error.isFatal {
                    note(.pass, what, "refused: \(error)")
                }
            }
            let question = music.clean[1]
            let reply = try adapter.identify(question.audio, as: Self.opaque("q", 100))
            let isRight = reply.claim?.referenceID == question.reference.map(String.init)
            note(
                isRight ? .pass : .warn, "afterwards",
                isRight ? "the next query is answered, right" : "the next query is answered, not found")
        } catch {
            note(
                .fail, "unreadable file", "\(error)", expected: "an `error`, and an answer to the next query")
        }
    }

    /// When standard input ends the adapter does too, and leaves no child.
    func checkExit() {
        do {
            let process = try adapter().process
            drop()
            let members = process.tree.memberCount
            let words = process.end()
            let isOrderly = words == "it exited with status 0"
            note(
                isOrderly ? .pass : words == "it was killed" ? .fail : .warn, "end of standard input",
                "\(words) (\(members) \(members == 1 ? "process" : "processes"))",
                expected: isOrderly ? "" : "that it exits with status 0 within \(limits.exitSeconds) s")
        } catch {
            note(error, in: "end of standard input")
        }
    }
}

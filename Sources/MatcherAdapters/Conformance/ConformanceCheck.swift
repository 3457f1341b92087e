import AudioCore
import AudioIO
import Degradations
import Evaluation
import Foundation
import Matchers
import Metrics

/// Checks an adapter against the contract with synthetic music, and reports each check.
package final class ConformanceCheck {
    let command: ExternalCommand
    let limits: ExternalLimits
    let music: CheckMusic
    private let report: (CheckFinding) -> Void
    private var findings: [CheckFinding] = []
    /// The adapter for most checks; made again when a check has killed it.
    private var current: AdapterConversation?

    /// - Parameter report: Receives each finding at once.
    package init(
        _ command: ExternalCommand, limits: ExternalLimits, report: @escaping (CheckFinding) -> Void
    ) throws {
        self.command = command
        self.limits = limits
        self.report = report
        music = try CheckMusic()
    }

    /// Runs all checks; only the first if the adapter cannot be enrolled into.
    package func run() -> [CheckFinding] {
        let before = SharedPlaces(command)
        guard checkStart() else { return findings }
        let answers = checkAnswers()
        checkSkews()
        checkSameness(as: answers)
        checkNames(as: answers)
        checkForgetting()
        checkPassages()
        checkExplanation()
        checkOddQueries(of: music.clean[found(in: answers) ?? 0])
        checkUnreadable()
        checkExit()
        let left = before.news()
        note(
            left.isEmpty ? .pass : .warn, "leaves nothing behind",
            left.isEmpty
                ? "nothing new in home, temporary and own folder"
                : "\(left.count) new, perhaps by another program: \(left.prefix(5).joined(separator: ", "))")
        return findings
    }

    /// - Parameter expected: Said unless the check passes.
    func note(_ verdict: CheckFinding.Verdict, _ check: String, _ seen: String, expected: String = "") {
        let finding = CheckFinding(verdict, check, seen, expected: verdict == .pass ? "" : expected)
        findings.append(finding)
        report(finding)
    }

    /// Makes a check; an error fails it.
    @discardableResult
    private func check(_ name: String, expected: String = "", _ body: () throws -> Void) -> Bool {
        do { try body() } catch {
            note(.fail, name, "\(error)", expected: expected)
            return false
        }
        return true
    }

    func adapter() throws -> AdapterConversation {
        if let current, current.isAlive { return current }
        let adapter = try taught(references())
        current = adapter
        return adapter
    }

    /// A new process that knows these references.
    private func taught(
        _ references: [(number: Int, audio: AudioBuffer)], modified: Date? = nil, world: String = "one"
    ) throws -> AdapterConversation {
        let adapter = try AdapterConversation(command, limits: limits)
        try adapter.learn(references, modified: modified) { Self.opaque("r", $0, world: world) }
        return adapter
    }

    func references() -> [(number: Int, audio: AudioBuffer)] {
        music.references.enumerated().map { ($0.offset, $0.element) }
    }

    private func found(in answers: [[Candidate]?]) -> Int? {
        answers.indices.first { answers[$0]?.claim?.referenceID == String($0) }
    }

    func drop() { current = nil }

    static func opaque(_ prefix: String, _ number: Int, world: String = "one") -> String {
        prefix + String(StableHash.of(world, prefix, String(number)), radix: 16)
    }

    private func checkStart() -> Bool {
        check("hello, enrol and ready") {
            let adapter = try AdapterConversation(command, limits: limits)
            let settings = (adapter.hello.settings ?? [:]).sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value.text)" }
            note(
                .pass, "hello",
                "\(adapter.hello.name) \(adapter.hello.version)" + settings.map { " \($0)" }.joined())
            let slow = adapter.startMilliseconds > limits.helloSeconds * 500
            note(
                slow ? .warn : .pass, "start",
                "hello after \(Int(bounded: adapter.startMilliseconds)) ms of \(Int(bounded: limits.helloSeconds * 1000)) allowed"
            )
            let spent = adapter.process.tree.processorSeconds
            let indexBytes = try adapter.learn(references()) { Self.opaque("r", $0) }
            let seconds = Double(CheckMusic.referenceCount) * CheckMusic.referenceSeconds
            let rate = adapter.process.tree.processorSeconds.flatMap { now in
                spent.map {
                    "\(Int(bounded: seconds / max(0.01, now - $0))) audio seconds per processor second"
                }
            }
            note(
                .pass, "enrol and ready",
                "\(CheckMusic.referenceCount) references, \(rate ?? "processor time unknown")")
            note(
                indexBytes == nil ? .warn : .pass, "index size",
                indexBytes.map { "\($0) bytes" } ?? "not stated")
            current = adapter
        }
    }
}

extension AdapterConversation {
    /// Enrols references in this order, under the names that `name` gives to their numbers.
    ///
    /// - Returns: The stated size of the index.
    @discardableResult
    func learn(
        _ references: [(number: Int, audio: AudioBuffer)], modified: Date? = nil, name: (Int) -> String
    ) throws -> Int? {
        for (number, audio) in references {
            try enrol(audio, id: String(number), as: name(number), modified: modified)
        }
        return try ready()
    }
}

extension [Candidate] {
    var claim: Candidate? { first { $0.isAccepted && !$0.isRelated } }
}

extension ConformanceCheck {
    /// Checks answers to clean queries: right, offsets in seconds, best first.
    ///
    /// - Returns: The answers; nil for a query without one.
    func checkAnswers() -> [[Candidate]?] {
        var errors: [String] = []
        let replies = music.clean.enumerated().map { number, question -> [Candidate]? in
            do {
                return try adapter().identify(question.audio, as: Self.opaque("q", number))
            } catch {
                errors.append("\(error)")
                return nil
            }
        }
        if let first = errors.first {
            note(.fail, "answers", "\(errors.count) of \(replies.count) failed: \(first)")
        }
        let pairs = zip(music.clean, replies).compactMap { question, reply in reply.map { (question, $0) } }
        let right = pairs.filter { $0.1.claim?.referenceID == $0.0.reference.map(String.init) }
        note(
            right.count == replies.count ? .pass : right.isEmpty ? .fail : .warn, "clean queries",
            "\(right.count) of \(replies.count) answered with the right reference",
            expected: "all, of \(Int(bounded: CheckMusic.querySeconds)) s unchanged")
        checkOffsets(right.compactMap { question, reply in reply.claim.map { (question.offsetSeconds, $0) } })
        checkOrder(replies.compactMap(\.self))
        checkStrangers()
        return replies
    }

    private func checkOffsets(_ answers: [(truth: Double, claim: Candidate)]) {
        guard !answers.isEmpty else { return }
        let pairs = answers.compactMap { answer in
            answer.claim.offsetSeconds.map { (truth: answer.truth, answered: $0) }
        }
        guard !pairs.isEmpty else {
            note(.pass, "offset", "not stated; answers count by their recording alone")
            return
        }
        let errors = pairs.map { abs($0.answered - $0.truth) }
        guard let median = Percentile.of(errors, at: 0.5) else { return }
        if median <= 0.5 {
            note(
                .pass, "offset",
                "median error \(Int(bounded: (median * 1000).rounded())) ms, in seconds, right sign")
        } else {
            note(
                .fail, "offset", Self.offsetMistake(pairs),
                expected: "seconds into the reference at the query's first sample")
        }
    }

    /// Describes the mistake in answered offsets.
    ///
    /// The true ones are all different and positive.
    package static func offsetMistake(_ pairs: [(truth: Double, answered: Double)]) -> String {
        let example = pairs[0]
        let shown = "answered \(example.answered) where \(rounded(example.truth)) is right"
        func isAbout(_ factor: Double, plus shift: Double = 0) -> Bool {
            pairs.allSatisfy {
                abs($0.answered - ($0.truth * factor + shift)) <= 0.05 * abs($0.truth * factor) + 0.5
            }
        }
        let units: [(Double, String)] = [
            (1000, "milliseconds"), (-1000, "milliseconds with the sign reversed"),
            (44_100, "samples at 44.1 kHz"), (-1, "the sign is reversed"),
        ]
        if let unit = units.first(where: { isAbout($0.0) }) { return "\(shown): looks like \(unit.1)" }
        let shifts = pairs.map { $0.answered - $0.truth }
        if let shift = Percentile.of(shifts, at: 0.5), isAbout(1, plus: shift) {
            return "\(shown): \(rounded(shift)) s off throughout"
        }
        let ratios = pairs.map { $0.answered / $0.truth }
        if let ratio = Percentile.of(ratios, at: 0.5), isAbout(ratio), abs(ratio) > 0.01 {
            return "\(shown): about \(rounded(ratio)) a second, as frames or blocks"
        }
        return "\(shown): no unit fits"
    }

    static func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    private func checkOrder(_ replies: [[Candidate]]) {
        let scores = replies.map { $0.map(\.score) }
        let falling = scores.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0 >= $1 } }
        note(
            falling ? .pass : .fail, "best first",
            falling ? "scores fall in all \(scores.count) answers" : "a score rises within an answer",
            expected: "the surest candidate first, a greater score for a surer one")
        let stated = replies.flatMap(\.self).compactMap(\.confidence)
        note(
            .pass, "confidence",
            stated.isEmpty ? "not stated" : "\(stated.min() ?? 0)…\(stated.max() ?? 0), within 0…1")
    }

    private func checkStrangers() {
        let name = "music it does not know"
        check(name) {
            let replies = try music.strange.enumerated().map {
                try adapter().identify($0.element.audio, as: Self.opaque("s", $0.offset))
            }
            let claims = replies.count { $0.claim != nil }
            note(
                claims == 0 ? .pass : .warn, name, "accepts \(claims) of \(replies.count)",
                expected: "no answer, or `accepted` false")
        }
    }
}

extension ConformanceCheck {
    /// Checks that an adapter with the operation finds both stretches of a recording, from when to when.
    func checkPassages() {
        check("passages") {
            let adapter = try adapter()
            guard adapter.hello.has(.passages) else { return }
            let parts = [music.clean[0], music.strange[0], music.clean[1]]
            let channels = parts[0].audio.channelCount
            let recording = AudioBuffer(
                samples: (0..<channels).flatMap { channel in parts.flatMap { $0.audio.channel(channel) } },
                sampleRate: parts[0].audio.sampleRate, channelCount: channels)
            let found = try adapter.passages(in: recording, as: Self.opaque("q", 200))
            var begin = 0.0
            var (right, near) = (0, [String]())
            for part in parts {
                let range = begin...(begin + part.audio.durationSeconds)
                begin = range.upperBound
                guard let reference = part.reference else { continue }
                let own = found.filter { $0.referenceID == String(reference) }
                let isRight = own.contains { passage in
                    let common = passage.queryRange.clamped(to: range)
                    let offset = passage.referenceRange.lowerBound - passage.queryRange.lowerBound
                    return common.upperBound - common.lowerBound >= part.audio.durationSeconds / 2
                        && abs(offset - (part.offsetSeconds - range.lowerBound)) <= 1
                }
                right += isRight ? 1 : 0
                if !isRight { near += own.map { "\($0.queryRange) s plays \($0.referenceRange) s" } }
            }
            note(
                right == 2 ? .pass : near.isEmpty ? .warn : .fail, "passages",
                "\(right) of 2 found, from when to when" + (near.first.map { "; \($0)" } ?? ""),
                expected: "ranges in seconds of the recording and of the reference")
        }
    }

    /// Checks that an adapter with the operation explains its own answers, and that pairs agree in time at the right place.
    func checkExplanation() {
        check("explain") {
            let adapter = try adapter()
            guard adapter.hello.has(.explain) else { return }
            let question = music.clean[0]
            guard let reference = question.reference.map(String.init) else { return }
            let answers = try adapter.identify(question.audio, as: Self.opaque("q", 300))
            let place = ReferencePlace(
                referenceID: reference, offsetSeconds: question.offsetSeconds, frequencySkew: 0, timeSkew: 0)
            let explanation = try adapter.explain(question.audio, at: [place], as: Self.opaque("q", 301))
                .explaining(answers)
            let alignment = explanation.alignments.first
            let errors = (alignment?.pairs ?? []).compactMap { pair in
                alignment.map {
                    abs(
                        $0.referencePeaks[pair.reference].seconds - explanation.queryPeaks[pair.query].seconds
                            - place.offsetSeconds)
                }
            }
            let error = Percentile.of(errors, at: 0.5) ?? 0
            let sums = explanation.candidates.filter { !$0.parts.isEmpty }.map { explained in
                (explained.parts.reduce(0) { $0 + $1.amount }, explained.candidate.score)
            }
            let odd = sums.first { abs($0 - $1) > 0.01 * max(1, abs($1)) }
            note(
                error > 0.5 || odd != nil ? .fail : .pass, "explain",
                "\(explanation.queryPeaks.count) peaks, \(errors.count) pairs at the right place"
                    + (error > 0.5 ? ", \(Self.rounded(error)) s apart" : "")
                    + (odd.map { ", parts of a score of \($1) sum to \(Self.rounded($0))" } ?? ""),
                expected: error > 0.5
                    ? "peaks in seconds of the query and of the reference" : "parts that sum to the score")
        }
    }

    /// Checks units and signs of skews at 2 %, if the matcher finds such queries and states skews.
    func checkSkews() {
        check("speed +2 %", Speed(percent: 2))
        check("speed -2 %", Speed(percent: -2))
        check("pitch +2 %", Pitch(percent: 2))
        check("tempo +2 %", Tempo(percent: 2))
    }

    private func check(_ name: String, _ step: any Degradation) {
        check(name) {
            var claims: [(question: CheckMusic.Question, claim: Candidate)] = []
            for (number, question) in try music.questions([AnyDegradation(step)]).enumerated() {
                let reply = try adapter().identify(question.audio, as: Self.opaque(name, number))
                guard let claim = reply.claim, claim.referenceID == question.reference.map(String.init) else {
                    continue
                }
                claims.append((question, claim))
            }
            guard let truth = claims.first?.question else {
                return note(.pass, name, "not found, so skews are not checked")
            }
            let parts = [
                Self.mistake("frequencySkew", claims.compactMap(\.claim.frequencySkew), truth.frequencySkew),
                Self.mistake("timeSkew", claims.compactMap(\.claim.timeSkew), truth.timeSkew),
            ]
            let isRight = parts.allSatisfy { !$0.isWrong }
            note(
                isRight ? .pass : .fail, name,
                "\(claims.count) of \(CheckMusic.skewedCount) found, "
                    + parts.map(\.words).joined(separator: ", "),
                expected: "frequencySkew \(Self.rounded(truth.frequencySkew)) and timeSkew "
                    + "\(Self.rounded(truth.timeSkew)), as fractions, or null")
        }
    }

    package static func mistake(_ name: String, _ answered: [Double], _ truth: Double) -> (
        words: String, isWrong: Bool
    ) {
        guard let median = Percentile.of(answered, at: 0.5) else { return ("\(name) not stated", false) }
        let tolerance = 0.008
        let shown = "\(name) \(rounded(median))"
        if abs(median - truth) <= tolerance { return (shown, false) }
        if abs(median + truth) <= tolerance { return ("\(shown): the sign is reversed", true) }
        if abs(median - truth * 100) <= tolerance * 100 { return ("\(shown): looks like percent", true) }
        if abs(median - 1 - truth) <= tolerance { return ("\(shown): looks like a ratio", true) }
        return (shown, true)
    }
}

extension ConformanceCheck {
    /// Checks that equal queries get equal answers: repeated, in another process, after another order of enrolment.
    func checkSameness(as answers: [[Candidate]?]) {
        compare("twice the same", with: answers) { try adapter() }
        compare("another process", with: answers) { try taught(references()) }
        compare("other order of enrolment", with: answers) { try taught(references().reversed()) }
    }

    /// Checks that names, places and ages of files do not change answers.
    func checkNames(as answers: [[Candidate]?]) {
        let old = Date(timeIntervalSince1970: 86_400 * 365)
        compare(
            "other names and dates", with: answers, modified: old,
            named: { Self.opaque("q", $0, world: "two") }
        ) { try taught(references(), modified: old, world: "two") }
        // Query k is named after reference k + 1, in its path as well.
        compare(
            "names that lie", with: answers, named: { Self.opaque("r", ($0 + 1) % CheckMusic.referenceCount) }
        ) { try adapter() }
    }

    private func compare(
        _ check: String, with answers: [[Candidate]?], modified: Date? = nil,
        named name: (Int) -> String = { ConformanceCheck.opaque("q", $0) },
        _ make: () throws -> AdapterConversation
    ) {
        self.check(check) {
            let adapter = try make()
            var differing: [String] = []
            for (number, question) in music.clean.enumerated() {
                guard let earlier = answers[number] else { continue }
                let reply = try adapter.identify(question.audio, as: name(number), modified: modified)
                if reply != earlier {
                    differing.append("\(Self.words(reply)) instead of \(Self.words(earlier))")
                }
            }
            note(
                differing.isEmpty ? .pass : .fail, check,
                differing.first.map { "\(differing.count) answers differ, one says \($0)" }
                    ?? "the same answers",
                expected: "the same answers to the same samples")
        }
    }

    /// Checks that a process with other references does not know those of an earlier one.
    func checkForgetting() {
        let name = "processes apart"
        check(name) {
            let adapter = try taught(Array(references().prefix(2)), world: "three")
            var claims = 0
            for (number, question) in music.clean.enumerated().dropFirst(2) {
                let reply = try adapter.identify(
                    question.audio, as: Self.opaque("q", number, world: "three"))
                claims += reply.claim == nil ? 0 : 1
            }
            let count = music.clean.count - 2
            note(
                claims == 0 ? .pass : .warn, name,
                "accepts \(claims) of \(count) queries of what another process was taught",
                expected: "none")
        }
    }

    private static func words(_ reply: [Candidate]) -> String {
        let answers = reply.prefix(2).map { candidate in
            let place = candidate.offsetSeconds.map { " at \(rounded($0)) s" } ?? ""
            return "\(candidate.referenceID)\(place) with \(candidate.score)"
        }
        return answers.isEmpty ? "nothing" : answers.joined(separator: ", ")
    }
}

struct SharedPlaces {
    private let before: [String: Set<String>]

    init(_ command: ExternalCommand) {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let programs = command.resolvedWords.filter { $0.hasPrefix("/") }
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let folders = [home, home + "/.cache", home + "/.config", "/tmp", "/var/tmp"] + programs
        before = Dictionary(folders.map { ($0, Self.names(in: $0)) }, uniquingKeysWith: { $1 })
    }

    /// New files since then; another program may have made them.
    func news() -> [String] {
        before.flatMap { folder, names in
            Self.names(in: folder).subtracting(names).map { "\(folder)/\($0)" }
        }.filter { !$0.contains("/earshot-adapter-") }.sorted()
    }

    private static func names(in folder: String) -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    }
}

extension ConformanceCheck {
    /// Checks unusual queries: the adapter answers or refuses them, and answers the next query as before.
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

    /// Asks a query of `reference` that a matcher should find if `isFair`.
    private func checkOddQuery(_ name: String, _ audio: AudioBuffer, _ reference: Int?, isFair: Bool) {
        check(name, expected: "an answer or an `error`") {
            do {
                switch try adapter().identify(audio, as: Self.opaque(name, 0)).claim {
                case nil: note(isFair ? .warn : .pass, name, "answered, not found")
                case let claim? where claim.referenceID == reference.map(String.init):
                    note(.pass, name, "answered, right")
                default: note(.warn, name, "answered, something wrong accepted")
                }
            } catch let error as ExternalMatcherError where !error.isFatal {
                note(.pass, name, "refused: \(error)")
            }
        }
    }

    func checkUnreadable() {
        check("unreadable file", expected: "an `error`, and an answer to the next query") {
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
        }
    }

    /// Checks that the adapter exits at the end of standard input, and leaves no child.
    func checkExit() {
        let name = "end of standard input"
        check(name) {
            let process = try adapter().process
            drop()
            let members = process.tree.memberCount
            let words = process.end()
            let isOrderly = words == "it exited with status 0"
            note(
                isOrderly ? .pass : words == "it was killed" ? .fail : .warn, name,
                "\(words) (\(members) \(members == 1 ? "process" : "processes"))",
                expected: "that it exits with status 0 within \(limits.exitSeconds) s")
        }
    }
}

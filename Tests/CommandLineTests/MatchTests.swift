import AudioCore
import AudioIO
import Corpora
import EarshotKit
import Fingerprinting
import Foundation
import SystemIO
import TestSupport
import Testing

/// `custom-catalog create` and `match`, by their contract.
@Suite struct MatchTests {
    struct Line: Decodable {
        struct Answer: Decodable {
            var reference, title: String
            var matchOffset, frequencySkew, timeSkew, score, confidence: Double
            var items: [Item]
        }
        struct Item: Decodable {
            var id: String
            var properties: Properties
        }
        struct Properties: Decodable {
            var title: String?
            var equation: [String: Int]?
        }
        var query: String
        var durationSeconds: Double?
        var answers: [Answer]
        var matchMilliseconds: Double?
        var error: String?
    }

    /// Three pieces in two folders, and a catalog of them.
    private func catalog() throws -> (folder: TemporaryFolder, music: [AudioBuffer]) {
        let folder = try TemporaryFolder()
        let music = (0..<3).map { SyntheticMusic(seed: 500 + UInt64($0), seconds: 20).render() }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/music/more", withIntermediateDirectories: true)
        let wav = try #require(AudioEncoding("wav-pcm16"))
        for (path, audio) in zip(["one", "two", "more/three"], music) {
            try AudioFile.write(audio, to: "\(folder.path)/music/\(path).wav", as: wav)
        }
        let create = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.path + "/music", "-o", folder.path + "/m.earcatalog")
        #expect(create.status == 0, "\(create.errors)")
        #expect(create.output.isEmpty)
        return (folder, music)
    }

    private func lines(_ run: EarshotProcess) throws -> [Line] {
        try run.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    /// Audio of 44,100 Hz with another rate in its header, short and longer than a query.
    @Test(arguments: [8, 34]) func aWrongSampleRateIsNamed(seconds: Int) throws {
        let folder = try TemporaryFolder()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let song = ScoreSong(seed: 700, seconds: 40).render(sampleRate: 44_100)
        try AudioFile.write(song, to: folder.file("song.wav"), as: wav)
        let part = Array(song.samples[(3 * 44_100)..<((3 + seconds) * 44_100)])
        try AudioFile.write(
            AudioBuffer(samples: part, sampleRate: 41_000), to: folder.file("query.wav"), as: wav)
        let catalog = folder.file("m.earcatalog")
        #expect(
            try EarshotProcess("custom-catalog", "create", "-s", folder.file("song.wav"), "-o", catalog)
                .status == 0)
        let run = try EarshotProcess("match", "--catalog", catalog, folder.file("query.wav"))
        #expect(run.status == 0 && run.output.contains("\"answers\":[]"), "\(run.output)")
        #expect(run.errors.contains("\"song\" at 93.0 % of its speed"), "\(run.errors)")
        #expect(run.errors.contains("the sample rate of 41000 Hz may be wrong, 44100 Hz would fit"))
        let right = try EarshotProcess("match", "--catalog", catalog, folder.file("song.wav"))
        #expect(!right.errors.contains("speed"), "\(right.errors)")
    }

    @Test func answersInOrderWithPlaceAndGoesOnAfterABadQuery() throws {
        let (folder, music) = try catalog()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        let rate = music[0].sampleRate
        for (number, audio) in music.enumerated() {
            let start = (3 + number) * rate
            try AudioFile.write(
                audio.frames(start..<(start + 5 * rate)), to: "\(folder.path)/q\(number).wav", as: wav)
        }
        let stranger = SyntheticMusic(seed: 999, seconds: 5).render()
        try AudioFile.write(stranger, to: folder.path + "/stranger.wav", as: wav)
        let queries = ["q2", "missing", "stranger", "q0", "q1"].map { "\(folder.path)/\($0).wav" }
        try queries.joined(separator: "\n").write(
            toFile: folder.path + "/list.txt", atomically: true, encoding: .utf8)
        let run = try EarshotProcess(
            "match", "--catalog", folder.path + "/m.earcatalog", "--files", folder.path + "/list.txt",
            "--format", "jsonl")
        #expect(run.status == 1)
        let lines = try lines(run)
        #expect(lines.map(\.query) == queries)
        #expect(lines.map { $0.answers.first?.reference } == ["three", nil, nil, "one", "two"])
        #expect(lines.map { $0.error != nil } == [false, true, false, false, false])
        #expect(lines[1].error?.contains("missing.wav") == true)
        for (line, offset) in zip([lines[0], lines[3], lines[4]], [5.0, 3, 4]) {
            let answer = try #require(line.answers.first)
            #expect(abs(answer.matchOffset - offset) < 0.005)
            #expect(abs(answer.frequencySkew) < 1e-3 && abs(answer.timeSkew) < 2e-3)
            #expect((0...1).contains(answer.confidence))
            #expect(answer.title == answer.reference)
            #expect(line.durationSeconds == 5)
            #expect((line.matchMilliseconds ?? 0) > 0)
        }
        let below = try EarshotProcess(
            "match", "--catalog", folder.path + "/m.earcatalog", "--minimum-score", "-1000", queries[2])
        #expect(below.status == 0)
        #expect(try self.lines(below).first?.answers.isEmpty == false)
    }

    /// A catalog, and 15 s of the second piece, 10 s of silence and 15 s of the first.
    private func day() throws -> (folder: TemporaryFolder, audio: AudioBuffer) {
        let (folder, music) = try catalog()
        let quiet = [Float](repeating: 0, count: 10 * music[0].sampleRate)
        let mono = music.map { audio in Array(audio.samples[0..<(15 * audio.sampleRate)]) }
        return (folder, AudioBuffer(samples: mono[1] + quiet + mono[0], sampleRate: music[0].sampleRate))
    }

    /// Writes the bytes of a recording and matches it.
    private func match(
        _ bytes: [UInt8], in folder: TemporaryFolder, _ options: [String]
    ) throws -> (lines: [String], run: EarshotProcess) {
        try AtomicFile.write(bytes, to: folder.file("day"))
        let run = try EarshotProcess(
            arguments: ["match", "--catalog", folder.file("m.earcatalog")] + options + [folder.file("day")])
        return (run.output.split(separator: "\n").map(String.init), run)
    }

    private func cells(_ lines: [String]) -> [[String]] {
        lines.map { $0.split(separator: ",").map(String.init) }
    }

    /// A recording over 30 s has passages, in every form of answers.
    @Test func aLongRecordingHasPassages() throws {
        let (folder, audio) = try day()
        let bytes = try AudioFile.encode(audio, as: #require(AudioEncoding("wav-pcm16")))
        func run(_ options: String...) throws -> [String] {
            let (lines, run) = try match(bytes, in: folder, options)
            #expect(run.status == 0, "\(run.errors)")
            return lines
        }
        let table = cells(try run("--format", "csv"))
        #expect(table.count == 3 && table[0].count == 11)
        #expect(table.dropFirst().map { $0[3] } == ["\"two\"", "\"one\""])
        let begins = table.dropFirst().compactMap { Double($0[1]) }
        let ends = table.dropFirst().compactMap { Double($0[2]) }
        for (found, truth) in zip(begins + ends, [0, 25, 15, 40.0]) { #expect(abs(found - truth) < 0.3) }
        #expect(try run("--format", "jsonl").count == 2)
        #expect(try run("--json").count == 1)
        #expect(try run("--format", "labels").map { $0.split(separator: "\t").last } == ["two", "one"])
        #expect(try run("--format", "text").count == 2)
        #expect(try run("--format", "cue").first == "FILE \"day\" WAVE")
        // Its begin may be 0, which has no minus sign, and to a millisecond.
        #expect(try run("--format", "labels").allSatisfy { $0.contains(#/^\d+\.\d{3}\t\d+\.\d{3}\t/#) })
        for (option, value, count) in [
            ("--minimum-score", "1000", 0), ("--minimum-score", "-1000", 2), ("--minimum-seconds", "16", 0),
            ("--minimum-seconds", "14", 2),
        ] {
            #expect(try run("--format", "csv", option, value).count == 1 + count, "\(option) \(value)")
            #expect(try run("--format", "labels", option, value).count == count, "\(option) \(value)")
        }
    }

    /// What the catalog option must name, and what a clip must have, is said with what to do.
    @Test func mistakesOfBeginnersAreNamed() throws {
        let (folder, music) = try catalog()
        let clip = AudioBuffer(
            samples: [Float](repeating: 0.1, count: music[0].sampleRate), sampleRate: music[0].sampleRate)
        try AudioFile.write(
            clip, to: folder.file("clip.wav"), as: #require(AudioEncoding("wav-pcm16")))
        let short = try EarshotProcess(
            "match", "-c", folder.file("m.earcatalog"), folder.file("clip.wav"))
        #expect(short.status == 0 && short.errors.contains("1.0 s is too short for a sure answer; take 3 s"))
        let made = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.file("clip.wav"), "-o", folder.file("s.earcatalog"))
        #expect(made.errors.contains("clip: 1.0 s is too short for a sure answer"), "\(made.errors)")
        #expect(made.errors.contains("1 reference, 1.00"), "\(made.errors)")
        let recordings = folder.file("music")
        let wrong = try EarshotProcess("match", "--catalog", recordings, folder.file("clip.wav"))
        #expect(wrong.status == 1)
        #expect(
            wrong.errors.contains("earshot custom-catalog create -s \(recordings) -o music.earcatalog"),
            "\(wrong.errors)")
    }

    /// A query that fails has neither a header nor a file in a table, and its error names it once.
    @Test(arguments: ["csv", "cue", "labels"])
    func aFailedQueryIsNoTable(format: String) throws {
        let (folder, _) = try catalog()
        let run = try EarshotProcess(
            "match", "-c", folder.file("m.earcatalog"), "--format", format, folder.file("missing.wav"))
        #expect(run.status == 1 && run.output.isEmpty, "\(run.output)")
        #expect(run.errors.components(separatedBy: "missing.wav").count == 2, "\(run.errors)")
    }

    /// Each time of day is the start and the seconds in the table, also over midnight.
    @Test(arguments: [
        ("06:00", 21_600.0, ["", ""], ""),
        ("2024-02-28T23:59:50.5+01:00", 86_390.5, ["2024-02-28T", "2024-02-29T"], "+01:00"),
    ])
    func passagesHaveTimesOfDay(start: String, seconds: Double, dates: [String], zone: String) throws {
        let (folder, audio) = try day()
        let bytes = try AudioFile.encode(audio, as: #require(AudioEncoding("wav-pcm16")))
        func run(_ format: String) throws -> [String] {
            try match(bytes, in: folder, ["--wall-clock", start, "--format", format]).lines
        }
        let table = cells(try run("csv"))
        #expect(table[0].suffix(2) == ["beginTime", "endTime"] && table[1].count == table[0].count)
        let times = Array(table[1].suffix(2))
        for (time, (date, cell)) in zip(times, zip(dates, table[1][1...])) {
            try #require(time.hasPrefix(date) && time.hasSuffix(zone), "\(time)")
            let parts = time.dropFirst(date.count).dropLast(zone.count).split(separator: ":")
            let found = parts.reduce(0.0) { $0 * 60 + (Double($1) ?? .nan) }
            let expected = try (seconds + #require(Double(cell))).truncatingRemainder(dividingBy: 86_400)
            #expect(parts.count == 3 && abs(found - expected) < 0.002, "\(time)")
        }
        #expect(try run("text")[0].contains("  \(times[0]) – \(times[1])  "))
        let line = try JSONSerialization.jsonObject(with: Data(run("jsonl")[0].utf8)) as? [String: Any]
        let answer = try #require((line?["answers"] as? [[String: Any]])?.first)
        #expect(answer["timesOfDay"] as? [String] == times)
        // An audio editor counts seconds.
        let labels = try match(bytes, in: folder, ["--wall-clock", start, "--format", "labels"]).run
        #expect(labels.status == 64 && labels.errors.contains("--wall-clock"), "\(labels.errors)")
    }

    /// A gap in the times of a file is silence, and what follows is where it was.
    @Test func passagesBeforeAndAfterDamageAreKept() throws {
        let (folder, audio) = try day()
        var bytes = try AudioFile.encode(audio, as: #require(AudioEncoding("ogg-vorbis-q0.3")))
        for place in bytes.count / 4..<bytes.count / 4 + 3000 { bytes[place] = UInt8(place % 251) }
        let (lines, run) = try match(bytes, in: folder, ["--format", "csv"])
        #expect(run.status == 0 && run.errors.contains("damaged at "), "\(run.errors)")
        let table = cells(lines).dropFirst()
        #expect(table.map { $0[3] } == ["\"two\"", "\"one\""])
        #expect(abs(Double(table.last?[1] ?? "").map { $0 - 25 } ?? 9) < 0.3, "\(lines)")
    }

    /// What was heard before a sample that is no number is printed.
    @Test func passagesBeforeAnErrorAreKept() throws {
        let (folder, audio) = try day()
        var samples = audio.samples
        samples[samples.count - audio.sampleRate] = .nan
        let bytes = try AudioFile.encode(
            AudioBuffer(samples: samples, sampleRate: audio.sampleRate),
            as: #require(AudioEncoding("wav-float")))
        let (lines, run) = try match(bytes, in: folder, ["--format", "csv"])
        #expect(run.status == 1 && run.errors.contains(folder.file("day")), "\(run.errors)")
        #expect(cells(lines).dropFirst().first?[3] == "\"two\"", "\(lines)")
    }

    @Test func aKilledMatchLeavesWholeLines() throws {
        let (folder, audio) = try day()
        let samples = (0..<40).flatMap { _ in audio.samples }
        try AudioFile.write(
            AudioBuffer(samples: samples, sampleRate: audio.sampleRate), to: folder.file("day.wav"),
            as: #require(AudioEncoding("wav-pcm16")))
        let run = try EarshotProcess.Started(command: [
            EarshotProcess.binary, "match", "--catalog", folder.file("m.earcatalog"), "--format", "csv",
            folder.file("day.wav"),
        ])
        #expect(run.reaches { run.output.count(where: { $0 == "\n" }) >= 4 })
        kill(run.process.processIdentifier, SIGKILL)
        let end = try run.finish()
        #expect(end.isSignalled && end.output.hasSuffix("\n"))
        let table = cells(end.output.split(separator: "\n").map(String.init))
        #expect((4..<82).contains(table.count) && table.allSatisfy { $0.count == table[0].count })
    }

    /// A list may come through a pipe, and a name may hold what some programs take for the end of a line.
    @Test func listsComeThroughPipes() throws {
        let (folder, music) = try catalog()
        let name = "q\u{0C}\u{85}\u{2028}.wav"
        try AudioFile.write(
            music[0].frames(44_100..<(44_100 * 6)), to: folder.file(name),
            as: try #require(AudioEncoding("wav-pcm16")))
        try AtomicFile.write("\u{FEFF}\(name)\r\n  \n", to: folder.file("list"))
        for script in [
            "cat list | $EARSHOT match --catalog m.earcatalog --files /dev/stdin",
            "$EARSHOT match --catalog m.earcatalog --files /dev/stdin < list",
            "bash -c '$EARSHOT match --catalog m.earcatalog --files <(cat list)'",
        ] {
            let run = try EarshotProcess(shell: "cd '\(folder.path)' && " + script)
            #expect(run.status == 0, "\(script): \(run.errors)")
            #expect(
                try lines(run).map(\.query) == [name] && lines(run)[0].answers.map(\.reference) == ["one"])
        }
    }

    @Test("A list is looked up to its end, and a line that names no file has an error in its place")
    func aListGoesOnAfterAWrongLine() throws {
        let (folder, music) = try catalog()
        for name in ["q.wav", "#1.wav"] {
            try AudioFile.write(
                music[0].frames(44_100..<(44_100 * 6)), to: folder.file(name),
                as: try #require(AudioEncoding("wav-pcm16")))
        }
        let latin: [UInt8] = Array("caf".utf8) + [0xE9] + Array(".wav\n".utf8)
        let long = [UInt8](repeating: UInt8(ascii: "a"), count: 70_000)
        try AtomicFile.write(
            Array("#EXTM3U\r\n#1.wav\r\n".utf8) + latin + long + Array("\n#EXTINF:5,q\nq.wav".utf8),
            to: folder.file("list.m3u"))
        let command = "cd '\(folder.path)' && $EARSHOT match --catalog m.earcatalog --files list.m3u"
        let run = try EarshotProcess(shell: command)
        #expect(run.status == 1 && run.errors.isEmpty, "\(run.errors)")
        let found = try lines(run)
        #expect(found.map(\.query) == ["#1.wav", "list.m3u:3", "list.m3u:4", "q.wav"])
        #expect(found.map { $0.answers.first?.reference } == ["one", nil, nil, "one"])
        #expect(found[1].error == "list.m3u:3: expected a path in UTF-8, found \"caf\u{FFFD}.wav\"")
        let labels = try EarshotProcess(shell: command + " --format labels")
        #expect(labels.status == 1 && labels.output.split(separator: "\n").count == 2, "\(labels.output)")
        #expect(
            labels.errors.split(separator: "\n").map { $0.prefix(12) } == ["list.m3u:3: ", "list.m3u:4: "])
    }

    /// A title and a name of a file that try to forge lines of each format.
    private static let forged =
        "x\"\n  TRACK 99 AUDIO\r9.000\t10.000\tF\u{85}\u{2028}\u{2029}\u{1B}[31m\u{202E}"

    @Test(
        "Labels have three fields, and a line of a cue sheet is one of its commands, whatever titles and names hold"
    )
    func titlesForgeNoLines() throws {
        let folder = try TemporaryFolder()
        let music = SyntheticMusic(seed: 500, seconds: 20).render()
        let types = [
            ".wav": "WAVE", ".mp3": "MP3", ".AIFF": "AIFF", ".aif": "AIFF", ".flac": "WAVE", "": "WAVE",
        ]
        let endings = types.keys.sorted()
        for ending in endings {
            try AudioFile.write(
                music, to: folder.file(Self.forged + ending), as: #require(AudioEncoding("wav-pcm16")))
        }
        try AudioFile.write(music, to: folder.file("a.wav"), as: #require(AudioEncoding("wav-pcm16")))
        try AtomicFile.write(
            "title\n\"\(Self.forged.replacing("\"", with: "\"\""))\"\n", to: folder.file("a.csv"))
        let create = try EarshotProcess(
            shell: "cd '\(folder.path)' && $EARSHOT custom-catalog create -s a.wav -m a.csv -o c.earcatalog")
        #expect(create.status == 0, "\(create.errors)")
        let catalog = folder.file("c.earcatalog")
        func lines(_ arguments: [String]) throws -> [String] {
            let run = try EarshotProcess(arguments: arguments)
            #expect(run.status == 0, "\(run.errors)")
            let texts = run.output.split(whereSeparator: \.isNewline).map(String.init)
            for text in texts {
                let isPlain = text.unicodeScalars.allSatisfy {
                    $0 == "\t" || ![.control, .format].contains($0.properties.generalCategory)
                }
                #expect(isPlain, "\(text.debugDescription)")
            }
            return texts
        }
        let queries = endings.map { folder.file(Self.forged + $0) }
        let labels = try lines(["match", "-c", catalog, "--format", "labels"] + queries)
        #expect(labels.count == endings.count)
        #expect(labels.allSatisfy { $0.contains(#/^\d+\.\d{3}\t\d+\.\d{3}\t[^\t]+$/#) }, "\(labels)")
        let cue = try lines(["match", "-c", catalog, "--format", "cue"] + queries)
        #expect(cue.count == 4 * endings.count)
        for (place, line) in cue.enumerated() {
            let command =
                [
                    #/^FILE "[^"]+" [A-Z0-9]+$/#, #/^  TRACK 01 AUDIO$/#, #/^    TITLE "[^"]+"$/#,
                    #/^    INDEX 01 \d\d:\d\d:\d\d$/#,
                ][place % 4]
            #expect(line.contains(command), "\(line)")
        }
        let said = stride(from: 0, to: cue.count, by: 4).map {
            cue[$0].split(separator: " ").last.map(String.init)
        }
        #expect(said == endings.map { types[$0] })
        #expect(try lines(["match", "-c", catalog, "--format", "text"] + queries).count == endings.count)
        #expect(try lines(["custom-catalog", "display", catalog]).count == 3)
    }

    @Test func sameStemsTakeTheirFolders() throws {
        let (folder, music) = try catalog()
        let wav = try #require(AudioEncoding("wav-pcm16"))
        try AudioFile.write(music[0], to: folder.path + "/music/more/one.wav", as: wav)
        let output = folder.path + "/n.earcatalog"
        let clash = try EarshotProcess("custom-catalog", "create", "-s", folder.path + "/music", "-o", output)
        #expect(clash.status == 0, "\(clash.errors)")
        let identifiers = try CatalogFile.open(output).entries.map(\.id)
        #expect(identifiers.contains("music/one") && identifiers.contains("more/one"), "\(identifiers)")
        try FileManager.default.removeItem(atPath: output)
        let paths = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.path + "/music", "-o", output, "--ids", "relative-path")
        #expect(paths.status == 0, "\(paths.errors)")
        #expect(FileManager.default.fileExists(atPath: output))
    }

    @Test func signaturesServeAsReferences() throws {
        let (folder, music) = try catalog()
        let signature = folder.path + "/one.earsignature"
        #expect(
            try EarshotProcess("signature", "-i", folder.path + "/music/one.wav", "-o", signature).status == 0
        )
        let output = folder.path + "/s.earcatalog"
        #expect(try EarshotProcess("custom-catalog", "create", "-s", signature, "-o", output).status == 0)
        let query = folder.path + "/q.wav"
        try AudioFile.write(
            music[0].frames(44_100..<(44_100 * 6)), to: query, as: try #require(AudioEncoding("flac-16")))
        let answer = try #require(
            try lines(EarshotProcess("match", "--catalog", output, query)).first?.answers.first)
        #expect(answer.reference == "one")
        #expect(abs(answer.matchOffset - 1) < 0.005)
    }

    /// Episodes with an intro in common, each with an item for a skew of its own and one for a time of its own.
    @Test func rangesOfTimeAndSkewApply() throws {
        let folder = try TemporaryFolder()
        let intro = ScoreSong(seed: 900, seconds: 12)
        var catalogs: [String] = []
        for episode in 1...4 {
            let body = ScoreSong(seed: UInt64(episode), seconds: 10).render()
            let audio = AudioBuffer(samples: intro.render().samples + body.samples, sampleRate: 16_000)
            let skew = Float(episode) / 100
            let items = [
                SHMediaItem(properties: [
                    .title: "Episode \(episode)", .frequencySkewRanges: [(skew - 0.004)..<(skew + 0.004)],
                ]),
                SHMediaItem(properties: [
                    .title: "Question", .timeRanges: [16.0..<20],
                    SHMediaItemProperty("equation"): ["x": episode],
                ]),
            ]
            catalogs.append(folder.file("\(episode).earcatalog"))
            try CatalogFile.write(
                [
                    Reference(
                        id: "e\(episode)", mediaItem: try MediaItem(items: items),
                        signature: SignatureExtractor.signature(of: audio))
                ], to: catalogs[episode - 1])
        }
        let float = try #require(AudioEncoding("wav-float"))
        let queries = try [(1.03, 3.0), (1, 3)].map { ratio, seconds in
            let path = folder.file("q\(ratio).wav")
            try AudioFile.write(
                intro.render(from: 2, seconds: seconds, timeRatio: ratio, frequencyRatio: ratio), to: path,
                as: float)
            return path
        }
        let timed = folder.file("timed.earsignature")
        try SignatureExtractor.signature(
            of: ScoreSong(seed: 2, seconds: 10).render(from: 1, seconds: 5), detail: .query
        ).write(to: timed)
        let options = catalogs.flatMap { ["--catalog", $0] }
        let run = try EarshotProcess(arguments: ["match"] + options + queries + [timed])
        #expect(run.status == 0, "\(run.errors)")
        let lines = try lines(run)
        #expect(
            lines.map { $0.answers.map(\.reference) } == [["e3"], [lines[1].answers[0].reference], ["e2"]])
        #expect(lines[0].answers[0].items.map(\.properties.title) == ["Episode 3"])
        #expect(lines[1].answers[0].items.isEmpty)
        #expect(lines[1].answers[0].title == lines[1].answers[0].reference)
        #expect(lines[2].answers[0].items.map(\.properties.equation) == [["x": 2]])
        let all = try self.lines(EarshotProcess(arguments: ["match", "--all"] + options + queries))
        #expect(
            all.map { Set($0.answers.map(\.reference)) } == [
                ["e1", "e2", "e3", "e4"], ["e1", "e2", "e3", "e4"],
            ])
        #expect(all[1].answers.allSatisfy { $0.items.count == 2 })
    }

    @Test func allEpisodesOfAnIntroAreNamed() throws {
        let folder = try TemporaryFolder()
        let intro = ScoreSong(seed: 900, seconds: 8).render()
        let episodes = (0..<60).map { episode in
            AudioBuffer(
                samples: intro.samples + ScoreSong(seed: UInt64(episode), seconds: 5).render().samples,
                sampleRate: 16_000)
        }
        try CatalogFile.write(
            episodes.enumerated().map { number, audio in
                Reference(
                    id: "e\(number)", mediaItem: MediaItem(title: "Episode \(number)"),
                    signature: try SignatureExtractor.signature(of: audio))
            }, to: folder.file("c.earcatalog"))
        let float = try #require(AudioEncoding("wav-float"))
        for (name, seconds) in [("intro", 2..<7), ("after", 4..<9)] {
            try AudioFile.write(
                episodes[15].frames((seconds.lowerBound * 16_000)..<(seconds.upperBound * 16_000)),
                to: folder.file(name + ".wav"), as: float)
        }
        let lines = try lines(
            EarshotProcess(
                "match", "--catalog", folder.file("c.earcatalog"), folder.file("intro.wav"),
                folder.file("after.wav")))
        #expect(Set(lines[0].answers.map(\.reference)) == Set((0..<60).map { "e\($0)" }))
        #expect(lines[0].answers.count == 60 && lines[1].answers.map(\.reference) == ["e15"])
        try episodes[15].samples.withUnsafeBytes { Data($0) }.write(
            to: URL(fileURLWithPath: folder.file("samples")))
        let heard = try EarshotProcess(
            shell: "\"$EARSHOT\" listen --catalog '\(folder.file("c.earcatalog"))' --raw f32le --rate 16000 "
                + "< '\(folder.file("samples"))'")
        struct Heard: Decodable {
            var heardSeconds: Double
            var answers: [Line.Answer]
        }
        let outcomes = try heard.output.split(separator: "\n").map {
            try JSONDecoder().decode(Heard.self, from: Data($0.utf8))
        }
        #expect(outcomes.first?.answers.count == 60)
        let after = try #require(outcomes.first { $0.answers.count == 1 })
        #expect(after.answers[0].reference == "e15" && (8...9).contains(after.heardSeconds))
    }

    /// Files that hold no music, by name.
    static let badFiles: [(name: String, bytes: [UInt8])] = [
        ("empty.wav", []),
        ("text.wav", Array("this is not audio at all".utf8)),
        ("header.wav", Array("RIFF\u{24}\u{0}\u{0}\u{0}WAVEfmt ".utf8)),
        ("binary.ogg", (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 37) }),
    ]

    @Test(arguments: badFiles.indices)
    func aFileWithoutMusicIsNamed(_ index: Int) throws {
        let folder = try TemporaryFolder()
        let file = Self.badFiles[index]
        let path = folder.path + "/" + file.name
        try Data(file.bytes).write(to: URL(fileURLWithPath: path))
        for arguments in [
            ["signature", "-i", path, "-o", folder.path + "/x.earsignature"],
            ["custom-catalog", "create", "-s", path, "-o", folder.path + "/x.earcatalog"],
        ] {
            let words = arguments.map { "'\($0)'" }.joined(separator: " ")
            let run = try EarshotProcess(shell: "exec \"$EARSHOT\" \(words)")
            #expect(run.status == 1 && !run.isSignalled, "\(run.errors)")
            #expect(run.errors.contains(file.name), "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file.name])
    }

    @Test func degenerateQueriesAreAnsweredOrRefusedOneByOne() throws {
        let (folder, _) = try catalog()
        let float = try #require(AudioEncoding("wav-float"))
        func write(_ name: String, _ samples: [Float]) throws -> String {
            let path = "\(folder.path)/\(name).wav"
            try AudioFile.write(AudioBuffer(samples: samples, sampleRate: 44_100), to: path, as: float)
            return path
        }
        let queries = [
            try write("silence", Array(repeating: 0, count: 220_500)),
            try write("ten-milliseconds", (0..<441).map { Float($0 % 7) / 7 }),
            try write("one-sample", [0.5]),
            try write("square", (0..<220_500).map { $0 % 100 < 50 ? 1 : -1 }),
        ]
        let run = try EarshotProcess(
            shell: "exec \"$EARSHOT\" match --catalog '\(folder.path)/m.earcatalog' "
                + queries.map { "'\($0)'" }.joined(separator: " "))
        #expect(!run.isSignalled && [0, 1].contains(run.status), "\(run.errors)")
        let lines = try lines(run)
        #expect(lines.map(\.query) == queries)
        #expect(lines.allSatisfy { $0.answers.isEmpty })
    }

    @Test func writingToAFullDiskFailsAndLeavesNothing() throws {
        let (folder, _) = try catalog()
        let output = folder.path + "/full.earcatalog"
        let run = try EarshotProcess(
            shell:
                "trap '' XFSZ; ulimit -f 1; exec \"$EARSHOT\" custom-catalog create --no-sandbox -s '\(folder.path)/music' -o '\(output)'"
        )
        #expect(run.status == 1 && !run.isSignalled, "\(run.errors)")
        #expect(run.errors.contains("full.earcatalog"), "\(run.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "m.earcatalog", "music",
            ])
        let device = try EarshotProcess(
            "signature", "-i", folder.path + "/music/one.wav", "-o", "/dev/full")
        #expect(device.status == 1, "\(device.errors)")
    }

    @Test(arguments: [
        (["match", "--catalog", "/nonexistent.earcatalog", "q.wav"], Int32(1), "/nonexistent.earcatalog"),
        (["match", "--catalog", "/dev/null", "q.wav"], 1, "/dev/null"),
        (["match", "--catalog", "x"], 64, "queries"),
        (
            ["custom-catalog", "create", "-s", "/var/empty-nothing", "-o", "/tmp/x.earcatalog"], 1,
            "/var/empty-nothing"
        ),
        (["signature", "-i", "/nonexistent.ogg", "-o", "/tmp/x.earsignature"], 1, "/nonexistent.ogg"),
        (["signature", "-i", "/tmp", "-o", "/tmp/x.earsignature"], 1, "/tmp"),
    ])
    func mistakesAreNamed(_ arguments: [String], _ status: Int32, _ name: String) throws {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try EarshotProcess(shell: "exec \"$EARSHOT\" \(words)")
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(name), "\(run.errors)")
    }

    @Test func aFolderWithoutAudioIsAnError() throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess(
            "custom-catalog", "create", "-s", folder.path, "-o", folder.path + "/x.earcatalog")
        #expect(run.status == 1)
        #expect(run.errors.contains(folder.path), "\(run.errors)")
    }
}

import AudioCore
import AudioIO
import Foundation
import TestSupport
import Testing

/// Tags of all kinds, made byte by byte.
@Suite struct AudioTagsTests {
    private static func big(_ number: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    private static func little(_ number: Int) -> [UInt8] { big(number).reversed() }
    private static func safe(_ number: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
    }
    private static func utf16(_ text: String) -> [UInt8] {
        [1, 0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined()) }

    private static func id3(_ version: UInt8, _ frames: [(String, [UInt8])]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, content) in frames {
            body += text(name)
            switch version {
            case 2: body += big(content.count, 3)
            case 3: body += joined([big(content.count), [0, 0]])
            default: body += joined([safe(content.count), [0, 0]])
            }
            body += content
        }
        return joined([text("ID3"), [version, 0, 0], safe(body.count), body])
    }

    private static func comments(_ texts: [String]) -> [UInt8] {
        joined(
            [little(3), text("abc"), little(texts.count)]
                + texts.flatMap { [little($0.utf8.count), text($0)] })
    }

    private static func oggPage(_ packet: [UInt8]) -> [UInt8] {
        let sizes = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        return joined([
            text("OggS"), [UInt8](repeating: 0, count: 22), [UInt8(sizes.count)], sizes, packet,
        ])
    }

    private static func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
        let content = joined(contents)
        return joined([big(8 + content.count), name.unicodeScalars.map { UInt8($0.value) }, content])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        joined([text(name), little(content.count), content, [UInt8](repeating: 0, count: content.count % 2)])
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func latin(_ text: String) -> [UInt8] { [0] + Self.text(text) }

    private static func utf8(_ text: String) -> [UInt8] { [3] + Self.text(text) }

    private static let all = [
        "TITLE=Étude", "artist=A", "Artist=B", "ALBUM=Pieces", "ISRC=DEA001", "GENRE=Jazz", "GENRE=Étude",
        "PICTURE=" + String(repeating: "x", count: 90_000),
    ]

    /// One file of each kind, all with the same tags.
    private static let files: [String: [UInt8]] = [
        "2.2": id3(
            2,
            [
                ("TT2", utf16("Étude")), ("TP1", latin("A\0B")), ("TAL", latin("Pieces")),
                ("TRC", latin("DEA001")),
                ("TCO", utf16("(8)Étude")),
            ]),
        "2.3": id3(
            3,
            [
                ("APIC", [UInt8](repeating: 7, count: 100_000)), ("TIT2", utf16("Étude")),
                ("TPE1", latin("A, B")),
                ("TALB", utf16("Pieces")), ("TSRC", latin("DEA001")), ("TCON", latin("(8)")),
            ]),
        "2.4": id3(
            4,
            [
                ("TIT2", utf8("Étude")), ("TPE1", utf8("A\0B")), ("TALB", utf8("Pieces")),
                ("TSRC", latin("DEA001")),
                ("TCON", utf8("8\0Étude")), ("APIC", latin("-->\0\u{3}\0http://a.example/b.png")),
            ]),
        "flac": flac, "vorbis": joined([oggPage(text("\u{1}vorbis")), oggPage(text("\u{3}vorbis") + few)]),
        "opus": joined([oggPage(text("OpusHead")), oggPage(text("OpusTags") + few)]), "m4a": mpeg4,
        "ape": ape,
    ]

    /// Without the picture, for one page of Ogg.
    private static let few = comments(all.dropLast())

    private static let flac: [UInt8] = {
        let block = comments(all)
        return joined([
            text("fLaC"), [0], big(34, 3), [UInt8](repeating: 0, count: 34), [0x84], big(block.count, 3),
            block,
        ])
    }()

    private static let mpeg4: [UInt8] = {
        func data(_ text: String) -> [UInt8] { box("data", big(1), big(0), Self.text(text)) }
        let isrc = box(
            "----", box("mean", big(0), text("com.apple.iTunes")), box("name", big(0), text("ISRC")),
            data("DEA001"))
        let items = [
            box("©nam", data("Étude")), box("©ART", data("A, B")), box("©alb", data("Pieces")),
            box("©gen", data("Jazz"), data("Étude")), isrc,
        ]
        let meta = box("meta", big(0), box("hdlr", []), box("ilst", joined(items)))
        return joined([box("ftyp", text("M4A ")), box("free", [1, 2]), box("moov", box("udta", meta))])
    }()

    private static let ape: [UInt8] = {
        var items: [UInt8] = []
        let texts = [
            ("Title", "Étude"), ("Artist", "A\0B"), ("Album", "Pieces"), ("ISRC", "DEA001"),
            ("Genre", "Jazz\0Étude"),
        ]
        for (name, value) in texts {
            items += joined([little(value.utf8.count), little(0), text(name), [0], text(value)])
        }
        return joined([
            text("MAC "), items, text("APETAGEX"), little(2000), little(items.count + 32), little(5),
            little(0),
            [UInt8](repeating: 0, count: 8),
        ])
    }()

    /// Tags are looked for where there is sound.
    private static let mpeg = try? AudioFile.encode(
        TestSignals.noise(seed: 1, seconds: 0.5, sampleRate: 44_100), as: #require(AudioEncoding("mp3-128k")))

    private func tags(_ bytes: [UInt8]) throws -> AudioTags {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file("a")))
        return AudioTags(path: folder.file("a"))
    }

    @Test(arguments: files.keys.sorted()) func tagsOfAllKindsAreRead(kind: String) throws {
        let bytes = try #require(Self.files[kind])
        let tags = try tags(kind.hasPrefix("2.") ? bytes + #require(Self.mpeg) : bytes)
        #expect(
            tags.title == "Étude" && tags.artist == "A, B" && tags.album == "Pieces" && tags.isrc == "DEA001")
        let genres = kind == "2.3" ? ["Jazz"] : ["Jazz", "Étude"]
        #expect(tags.genres == genres)
        #expect(tags.artworkURL == (kind == "2.4" ? "http://a.example/b.png" : nil))
    }

    @Test func chunksAndOldTagsAreRead() throws {
        let info = Self.joined([
            Self.text("INFO"), Self.chunk("INAM", Self.text("One\0")), Self.chunk("IART", Self.text("A")),
        ])
        func riff(_ chunk: [UInt8]) -> [UInt8] {
            let wave = Self.joined([Self.text("WAVE"), Self.chunk("fmt ", [1, 2, 3]), chunk])
            return Self.joined([Self.text("RIFF"), Self.little(wave.count), wave])
        }
        let listed = try tags(riff(Self.chunk("LIST", info)))
        #expect(listed.title == "One" && listed.artist == "A" && listed.album == nil)
        let id3 = Self.id3(3, [("TIT2", Self.latin("Two"))])
        #expect(try tags(riff(Self.chunk("id3 ", id3))).title == "Two")
        var old = Self.text("TAG") + [UInt8](repeating: 0, count: 125)
        old.replaceSubrange(3..<8, with: Self.text("Three"))
        old[127] = 17
        let sound = try #require(Self.mpeg)
        #expect(try tags(sound + old).title == "Three")
        #expect(try tags(sound + old).genres == ["Rock"])
        // The tag at the beginning precedes that at the end.
        #expect(try tags(id3 + sound + old).title == "Two")
    }

    @Test func textsAreShortAndVisible() throws {
        let long = String(repeating: "x", count: 60_000)
        let tags = try tags(
            Self.id3(
                4, [("TIT2", Self.utf8("a\u{1B}[31m\nb\u{7}")), ("TALB", Self.utf8(long)), ("TPE1", [3])])
                + #require(Self.mpeg))
        #expect(tags.title == "a [31m b")
        #expect(tags.album == String(repeating: "x", count: 500))
        #expect(tags.artist == nil)
    }

    /// Damaged tags and wrong sizes give fewer tags, and take no more memory.
    @Test(arguments: files.keys.sorted()) func damagedTagsAreHarmless(kind: String) throws {
        let bytes = try #require(Self.files[kind])
        let small = bytes.count > 2000 ? Array(bytes.prefix(1000)) + Array(bytes.suffix(1000)) : bytes
        var random = SeededGenerator(seed: StableHash.of(kind))
        let folder = try TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("a"))
        for round in 0..<60 {
            var damaged = small
            for _ in 0...Int.random(in: 0..<8, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] =
                    Bool.random(using: &random) ? 0xFF : .random(in: 0...255, using: &random)
            }
            if round % 2 == 0 {
                damaged = Array(damaged.prefix(.random(in: 0...damaged.count, using: &random)))
            }
            try Data(damaged).write(to: url)
            let tags = AudioTags(path: url.path)
            #expect((tags.title?.count ?? 0) <= 500 && tags.genres.count <= 10_000)
        }
    }

    @Test func filesWithoutTagsHaveNone() throws {
        #expect(try tags([]) == AudioTags(path: "/nowhere/a.mp3"))
        #expect(AudioTags(path: "/nowhere/a.mp3").title == nil)
    }
}

import Corpora
import Foundation
import TestSupport
import Testing

@Suite struct QueryListTests {
    private static func read(_ text: String) throws -> QueryList {
        try QueryList(Data(text.utf8), path: "list.csv")
    }

    @Test func aTableOfTruthFillsAllFields() throws {
        let list = try Self.read(
            """
            query,reference,offsetSeconds,timeSkew,room,severity,sha256
            a.wav,one.ogg,12.5,0.02,kitchen,loud,ff
            a.wav,"two, too.ogg",-1,0.02,kitchen,loud,ff
            b.wav,,,,,,
            """)
        #expect(list.format == .truth && list.entries.count == 2)
        let first = try #require(list.entries.first)
        #expect(first.rights.map(\.reference) == ["one.ogg", "two, too.ogg"])
        #expect(first.rights.map(\.offsetSeconds) == [12.5, -1])
        #expect(first.timeSkew == 0.02 && first.frequencySkew == nil)
        #expect(first.degradation == "room kitchen" && first.severity == "loud")
        #expect(list.entries[1].rights.isEmpty)
        #expect(list.tags == ["room"])
    }

    @Test func aMIREXListHasTwoNamesALine() throws {
        let list = try Self.read(
            "./AFP/query/q1.wav\t./AFP/database/00004 live.mp3\r\nq2.wav\tb\n\nq1.wav\tc\nq3\t\n")
        #expect(list.format == .mirex)
        #expect(list.entries.map(\.query) == ["./AFP/query/q1.wav", "q2.wav", "q1.wav", "q3"])
        #expect(list.entries[0].rights[0].reference == "./AFP/database/00004 live.mp3")
        #expect(list.entries[3].rights.isEmpty)
        #expect(try Self.read("q1 r1\nq2   r2\n").entries.map { $0.rights[0].reference } == ["r1", "r2"])
    }

    /// Such names are equal as texts, and yet those of two files.
    @Test(arguments: [
        ("query,reference\n", ",r\n", 3), ("", "\tr\n", 2), ("query_id,reference_id\n", ",r\n", 3),
    ])
    func oneNameInTwoSpellingsIsRefused(head: String, tail: String, line: Int) throws {
        let (composed, apart) = ("caf\u{E9}.wav", "cafe\u{301}.wav")
        #expect(try Self.read(head + composed + tail).entries.count == 1)
        let error = #expect(throws: ConfigurationError.self) {
            try Self.read(head + composed + tail + apart + tail)
        }
        #expect(error?.line == line)
        #expect(error.map { "\($0)" }?.contains("composed differently") == true, "\(error as Any)")
    }

    @Test func passagesOfPexesoAreSeparateQueries() throws {
        let list = try Self.read(
            """
            reference_id,query_id,reference_begin,reference_end,query_begin,query_end,tempo,pitch,noise_type,noise_color,noise_snr
            r1,query0,30,51,0,20,106,,,,
            r2,query0,5,25,16,36,100,200,continuous,pink,5
            r3,query0,7,17,35,46,100,0,,,
            """)
        #expect(list.format == .annotations && list.entries.count == 3)
        #expect(list.entries.map(\.part) == [0...20, 16...36, 35...46])
        #expect(list.entries.map { $0.rights.map(\.reference) } == [["r1", "r2"], ["r2", "r1"], ["r3"]])
        #expect(list.entries[0].rights.map(\.offsetSeconds) == [30, nil])
        #expect(list.entries[0].offsetToleranceSeconds == 1.06)
        #expect(
            list.entries.map(\.degradation) == ["tempo up to 7 %", "pitch up to 21 %, pink noise 5 dB", ""])
        let matches = try Self.read("reference_id,query_id\nr1,q1\nr2,q1\n")
        #expect(matches.format == .matches)
        #expect(matches.entries.map { $0.rights.map(\.reference) } == [["r1", "r2"]])
        let short = try Self.read(
            """
            reference_id,query_id,reference_begin,reference_end,query_begin,query_end
            r1,q,30,32,0,2
            r2,other,1,3,0,2
            r3,q,5,7,0,2
            """)
        #expect(short.entries.map { $0.rights.map(\.reference) } == [["r1", "r3"], ["r2"]])
    }

    @Test(arguments: [
        ("", nil, "holds no query"),
        ("query,reference\n", nil, "holds no query"),
        ("query,offsetSeconds\na,1\n", 1, "expected a column \"reference\""),
        ("name,answer\na,b\n", 1, "expected a header"),
        ("query,reference,query\na,b,c\n", 1, "column 17: expected each column once"),
        (",query,reference\n0,a,b\n", 1, "column 1: expected a name of a column, found none"),
        (
            "query,reference,offsetSecond\na,b,1\n", 1,
            "column 17: unknown column \"offsetSecond\". Did you mean"
        ),
        ("query,refrence,reference\na,b,c\n", 1, "Did you mean \"reference\"?"),
        ("query,reference,offset\na,b,1\n", 1, "Did you mean \"offset"),
        ("query,reference\na\n", 2, "expected 2 cells"),
        ("query,reference\n,b\n", 2, "expected something in query"),
        ("query,reference\n\"a,b\n", 2, "closing quote"),
        ("query,reference,offsetSeconds\na,b,soon\n", 2, "column 5: expected seconds"),
        ("query,reference,offsetSeconds\na,,3\n", 2, "names no reference"),
        ("query,reference,timeSkew\na,b,2\n", 2, "a fraction (0.02 for 2 %)"),
        ("query,reference,timeSkew\na,b,nan\n", 2, "expected a fraction"),
        ("query,reference,startSeconds\na,b,2\n", 2, "expected a number above startSeconds"),
        ("query,reference,timeSkew\na,b,0\na,c,0.1\n", 3, "column 5: expected the same as in line 2"),
        ("query,reference\na,\na,b\n", 3, "column 3: expected a reference in each row"),
        ("q1\tr1\nq2\n", 2, "found 1 fields"),
        ("q1\tr1\tx\n", 1, "found 3 fields"),
        ("q1\tr1\nq1\t\n", 2, "one of them names none"),
        ("reference_id,query_id,reference_begin\nr,q,5\n", 2, "expected all four times"),
        (
            "reference_id,query_id,reference_begin,reference_end,query_begin,query_end\nr,q,5,6,8,8\n", 2,
            "column 11: expected more than query_begin, 8"
        ),
        ("reference_id,query_id,tempo\nr,q,fast\n", 2, "expected percent"),
    ])
    func aListThatIsWrongIsRefusedAtItsPlace(text: String, line: Int?, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.read(text) }
        #expect(error?.file == "list.csv" && error?.line == line, "\(error?.description ?? "")")
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("A pipe that nobody writes to is an empty list", .timeLimit(.minutes(5)))
    func aPipeWithoutAWriterIsEmpty() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.csv")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: ConfigurationError.self) { try QueryList(path: path) }
        #expect(throws: ConfigurationError.self) { try PassageList(truth: path) }
    }

    @Test func invalidUTF8IsRefused() {
        for bytes in [[0xFF, 0xFE, 0x00], Array("query,reference\n".utf8) + [0xFF, 0x2C, 0x61, 0x0A]]
            as [[UInt8]]
        {
            #expect(throws: ConfigurationError.self) { try QueryList(Data(bytes), path: "list.csv") }
        }
    }
}

import Corpora
import Testing

@Suite struct CorpusLockTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    private func file(_ id: String, class classID: String? = nil, offset: Double? = 0) -> CorpusLock.File {
        CorpusLock.File(
            id: id, package: "pack", path: "usr/\(id)", sha256: Self.digest, byteCount: 10,
            frameCount: 441_000,
            sampleRate: 44_100, channelCount: 2, role: .reference, classID: classID, offsetSeconds: offset)
    }

    @Test func textIsReadBackUnchanged() throws {
        let lock = CorpusLock(
            minimumSeconds: 30, versions: ["pack": "1:2.0-1"],
            files: [
                file("b with spaces.ogg", class: "a.ogg", offset: -1.25), file("a.ogg"),
                file("c.ogg", class: "a.ogg", offset: nil),
            ])
        let back = try CorpusLock(text: lock.text, name: "x.lock")
        #expect(back == lock)
        #expect(back.digest == lock.digest)
        #expect(back.files.map(\.id) == ["a.ogg", "b with spaces.ogg", "c.ogg"])
        #expect(back.files.map(\.offsetSeconds) == [0, -1.25, nil])
    }

    @Test func anyChangeOfContentChangesTheDigest() {
        let base = CorpusLock(minimumSeconds: 30, versions: ["pack": "1"], files: [file("a")])
        var other = file("a")
        other.frameCount += 1
        let changed = [
            CorpusLock(minimumSeconds: 31, versions: ["pack": "1"], files: [file("a")]),
            CorpusLock(minimumSeconds: 30, versions: ["pack": "2"], files: [file("a")]),
            CorpusLock(minimumSeconds: 30, versions: ["pack": "1"], files: [other]),
            CorpusLock(minimumSeconds: 30, versions: ["pack": "1"], files: [file("a"), file("b")]),
        ]
        #expect(Set(changed.map(\.digest) + [base.digest]).count == 5)
    }

    @Test(arguments: [
        ("garbage\n", 1, "is this a lock"),
        ("earshot-corpus-lock\t1\nminimumSeconds\tlong\n", 2, "expected a number"),
        ("earshot-corpus-lock\t1\nweather\train\n", 2, "expected a line of"),
        ("earshot-corpus-lock\t1\nfile\ta\n", 2, "expected 12 columns separated by tabs, found 2"),
    ])
    func namesTheLineOfAMistake(text: String, line: Int, message: String) {
        expectMistake(text, line: line, message)
    }

    @Test(arguments: [
        (4, "xyz", "expected 64 hexadecimal digits"), (6, "-1", "expected 0 to"), (7, "0", "expected 1 to"),
        (7, "99999999999999999999", "expected 1 to"), (9, "noise:hum", "expected a role"),
        (3, "usr/../../etc/passwd", "without `..`"), (3, "/etc/passwd", "without `..`"),
        (11, "nan", "expected a number"), (1, "", "is empty"),
    ])
    func namesTheColumnOfAMistake(column: Int, value: String, message: String) {
        let lines = CorpusLock(minimumSeconds: 30, versions: [:], files: [file("a")]).text.split(
            separator: "\n")
        var columns = lines[2].split(separator: "\t").map(String.init)
        columns[column] = value
        let text = (lines[..<2].map(String.init) + [columns.joined(separator: "\t")]).joined(separator: "\n")
        expectMistake(text, line: 3, message)
    }

    @Test func aClassMustExist() {
        let lock = CorpusLock(minimumSeconds: 30, versions: [:], files: [file("a", class: "gone")])
        expectMistake(lock.text, line: nil, "class \"gone\" is not the id of a file")
    }

    private func expectMistake(_ text: String, line: Int?, _ message: String) {
        do {
            _ = try CorpusLock(text: text, name: "x.lock")
            Issue.record("accepted: \(text)")
        } catch let error as ConfigurationError {
            #expect(error.line == line, "\(error)")
            #expect(error.message.contains(message), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }
}

import Corpora
import Studies
import TestSupport
import Testing

@Suite struct FrontierFileTests {
    static let head = """
        name: f
        corpus: synthetic
        seed: 3
        queries: 4

        """

    @Test func theProjectsPlanIsRead() throws {
        let file = try FrontierFile(path: PackageFolder.path + "/Corpora/Plans/frontier.yaml")
        #expect(file.axes.count >= 15 && file.queries == 200)
        #expect(Set(file.axes.map(\.slug)).count == file.axes.count)
        #expect(file.axes.allSatisfy { !$0.slug.contains(" ") })
    }

    static let mistakes: [(text: String, line: Int, names: String)] = [
        ("name: f\ncorpus: c\nseed: 1\nqueries: 4\nfamilies: []", 1, "axes"),
        (head + "axes: []", 1, "empty"),
        (head + "axes:\n  - {name: a, severity: [1, 2], chain: [{gain: {decibels: -3}}]}", 6, "$severity"),
        (head + "axes:\n  - {name: a, severity: [1, 2]}", 6, "nothing would change"),
        (head + "axes:\n  - {name: a, chain: [{gain: {decibels: $severity}}]}", 6, "severity"),
        (head + "axes:\n  - {name: a, severity: [1], lengthSeconds: $severity}", 6, "2"),
        (head + "axes:\n  - {name: a, severity: [mp3-64k, wav], lengthSeconds: $severity}", 6, "mp3-64k"),
        (
            head
                + "axes:\n  - {name: a, severity: {from: 1, to: 1, resolution: 1}, lengthSeconds: $severity}",
            6, "ladder"
        ),
        (
            head + "axes:\n  - {name: a, severity: {from: 5, to: 1}, lengthSeconds: $severity}", 6,
            "resolution"
        ),
        (
            head
                + "axes:\n  - {name: a, severity: {from: 5, to: 1, resolution: 1, scale: cubic}, lengthSeconds: $severity}",
            6, "cubic"
        ),
        (
            head + "axes:\n  - {name: a, severity: [0, -90], chain: [{speed: {percent: $severity}}]}", 6,
            "percent"
        ),
        (head + "axes:\n  - {name: a, severity: [2, 1], lengthSeconds: $severity, colour: red}", 6, "colour"),
        (
            head
                + "axes:\n  - {name: a b, severity: [2, 1], lengthSeconds: $severity}\n  - {name: a-b, severity: [2, 1], lengthSeconds: $severity}",
            7, "a-b"
        ),
        ("name: f\ncorpus: c\nseed: 1\nqueries: 0\naxes: []", 1, "queries"),
        ("name: f\ncorpus: c\nseed: 1\nqueries: 4\ncoarse: 1\naxes: []", 1, "coarse"),
    ]

    @Test(arguments: mistakes)
    func aMistakeIsNamedWithItsLine(_ text: String, _ line: Int, _ names: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try FrontierFile(text: text, name: "f.yaml")
        }
        #expect(error.file == "f.yaml")
        #expect(error.description.contains(names), "\(error)")
        #expect(error.line == line, "\(error)")
    }

    @Test func anUnknownAxisIsRefused() throws {
        var file = try FrontierFile(
            text: Self.head + "axes:\n  - {name: query length, severity: [2, 1], lengthSeconds: $severity}",
            name: "f.yaml")
        let digest = file.digest
        let error = try #require(throws: ConfigurationError.self) { try file.override(axes: ["noise"]) }
        #expect(error.description.contains("query-length"))
        try file.override(axes: ["query-length"])
        #expect(file.axes.count == 1 && file.digest != digest)
    }
}

import AudioCore
import Foundation
import TestSupport
import Testing

/// Commands on files that programs since 0.1.0 wrote.
@Suite struct GoldenFilesTests {
    private static let golden = PackageFolder.path + "/Tests/EvaluationTests/Golden"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ command: String, status: Int32 = 0) throws -> EarshotProcess {
        let run = try EarshotProcess(
            shell: "cd '\(folder.path)' && exec \"$EARSHOT\" \(command)",
            environment: ["GOLDEN": Self.golden, "XDG_DATA_HOME": folder.path])
        #expect(run.status == status && !run.isSignalled, "\(command): \(run.errors)")
        return run
    }

    @Test(arguments: [("run-3", "baseline-2-first"), ("run-4", "baseline-2"), ("run-5", "baseline-3")])
    func aRunOfEachFormatIsReportedComparedAndJudged(name: String, baseline: String) throws {
        try FileManager.default.copyItem(atPath: "\(Self.golden)/\(name)", toPath: folder.file("run"))
        let own = try run("report \"$GOLDEN/\(name)\" --output out --details 0").output
        #expect(own.contains("earshot 3."), "\(own)")
        _ = try run("report run --details 0")
        let files = ["trials.csv", "summary.json", "report.html"]
        for file in files { #expect(FileManager.default.fileExists(atPath: folder.file("run/\(file)"))) }
        let comparison = try run("compare run \"$GOLDEN/\(name)\"").output
        #expect(comparison.contains("1 condition has the same outcomes"), "\(comparison)")
        let rules = "--rules \"$GOLDEN/rules-standard.yaml\""
        _ = try run("gate run \(rules) --baseline \"$GOLDEN/\(baseline).json\" --inconclusive pass")
        _ = try run("history \"$GOLDEN\"")
        _ = try run("history run")
    }

    @Test func aStudyOfTheFirstReleaseIsReported() throws {
        #expect(try run("report \"$GOLDEN/streams-3\" --output out").output.contains("right 100 %"))
    }

    @Test func shardsOfTheFirstReleaseAreMerged() throws {
        for number in 1...2 {
            try FileManager.default.copyItem(
                atPath: "\(Self.golden)/shard-\(number)-3", toPath: folder.file("\(number)"))
        }
        _ = try run("merge 1 2 --output merged")
        let comparison = try run("compare merged \"$GOLDEN/run-3\"").output
        #expect(comparison.contains("1 condition has the same outcomes"), "\(comparison)")
    }

    /// An earlier program leaves the baseline of a later one as it is.
    @Test func aBaselineIsReplacedByAnEqualOrLaterProgramOnly() throws {
        for name in ["baseline-2-first", "baseline-2", "baseline-3", "baseline-4"] {
            try FileManager.default.copyItem(
                atPath: "\(Self.golden)/\(name).json", toPath: folder.file("\(name).json"))
            _ = try run("baseline accept \"$GOLDEN/run-5\" --name ./\(name).json")
            #expect(
                try String(contentsOfFile: folder.file("\(name).json"), encoding: .utf8)
                    == String(contentsOfFile: Self.golden + "/baseline-4.json", encoding: .utf8))
        }
        let later = #"{"schemaVersion": 4294967295}"#
        try later.write(toFile: folder.file("later.json"), atomically: true, encoding: .utf8)
        let refused = try run("baseline accept \"$GOLDEN/run-5\" --name ./later.json", status: 1)
        #expect(refused.errors.contains("later.json: \(Release.newer)"), "\(refused.errors)")
        #expect(try String(contentsOfFile: folder.file("later.json"), encoding: .utf8) == later)
    }

    @Test func theLibraryOfTheFirstReleaseIsConverted() throws {
        _ = try folder.makeFolder("earshot")
        try FileManager.default.copyItem(
            atPath: PackageFolder.path + "/Tests/EarshotKitTests/Golden/library.sqlite",
            toPath: folder.file("earshot/library.sqlite"))
        #expect(try run("library list", status: 1).errors.contains("Run `earshot library update`"))
        _ = try run("library update")
        #expect(try run("library list").output == "103\tA title\tAn artist\n101\t\t\n")
    }
}

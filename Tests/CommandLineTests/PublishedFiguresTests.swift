import AudioCore
import Foundation
import TestSupport
import Testing

/// The figures of README and `results.md` follow from the stored trials, as `scripts/results.py --verify` shows.
@Suite struct PublishedFiguresTests {
    /// A copy of the files with figures, of what writes them and of the trials.
    private func package() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let articles = [
            "Sources/Evaluation/Evaluation.docc/Microphone.md", "Sources/Studies/Studies.docc/Passages.md",
            "Sources/Fingerprinting/Fingerprinting.docc/Compatibility.md",
        ]
        // `scripts` has a link to the module of the wheel.
        let module = "python/earshot_judge/metrics.py"
        for path in ["README.md", "Reports", "scripts", module] + articles {
            let parent = URL(fileURLWithPath: folder.file(path)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: PackageFolder.path + "/" + path, toPath: folder.file(path))
        }
        return folder
    }

    private func verify(_ folder: TemporaryFolder) throws -> EarshotProcess {
        try EarshotProcess(shell: "exec python3 '\(folder.path)/scripts/results.py' --verify")
    }

    @Test func figuresFollowFromTrials() throws {
        let run = try verify(package())
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("standard: computed from"))
        // What cannot be computed is named.
        let runs = try Data(
            contentsOf: URL(fileURLWithPath: PackageFolder.path + "/Reports/results/runs.json"))
        let known = try #require(try JSONSerialization.jsonObject(with: runs) as? [String: [String: Any]])
        for (name, facts) in known where facts["trials"] == nil {
            #expect(run.output.contains("\(name): not stored"))
        }
    }

    @Test(arguments: ["README.md", "Reports/results.md", "Reports/results/standard.json"])
    func aChangedDigitIsFound(_ name: String) throws {
        let folder = try package()
        let lines = try String(contentsOfFile: folder.file(name), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var generator = SeededGenerator(seed: 1, name)
        // README has tables of figures between marks, and others.
        var isMarked = name != "README.md"
        let marked = lines.map { line in
            if line.hasSuffix(":begin -->") { isMarked = true }
            if line.hasSuffix(":end -->") { isMarked = false }
            return isMarked
        }
        // Rows of tables, and numbers of figures.
        let rows = lines.indices.filter { index in
            marked[index] && (lines[index].hasPrefix("| ") || lines[index].contains("\"count\":"))
                && lines[index].contains { $0.isASCII && $0.isNumber }
        }
        #expect(rows.count >= 5)
        for index in rows.shuffled(using: &generator).prefix(3) {
            let digit = try #require(lines[index].lastIndex { $0.isASCII && $0.isNumber })
            let other = lines[index][digit] == "7" ? "4" : "7"
            var changed = lines
            changed[index].replaceSubrange(digit...digit, with: other)
            try changed.joined(separator: "\n").write(
                toFile: folder.file(name), atomically: true, encoding: .utf8)
            let run = try verify(folder)
            #expect(run.status == 1 && run.errors.contains(name), "\(changed[index]): \(run.errors)")
        }
    }

    @Test func missingAndOtherTrialsAreFound() throws {
        let folder = try package()
        let trials = folder.file("Reports/results/trials/standard.csv.xz")
        let other = try EarshotProcess(
            shell: "xz -dc '\(trials)' | sed '2d' | xz >'\(trials).new' && mv '\(trials).new' '\(trials)'")
        #expect(other.status == 0, "\(other.errors)")
        let changed = try verify(folder)
        #expect(changed.status == 1 && changed.errors.contains("standard.csv.xz: not the trials of the run"))
        try FileManager.default.moveItem(atPath: trials, toPath: trials.replacing("standard", with: "stray"))
        let missing = try verify(folder)
        #expect(missing.status == 1 && missing.errors.contains("standard.csv.xz"))
        #expect(missing.errors.contains("stray.csv.xz: the trials of no run"))
    }
}

import AudioCore
import Foundation
import TestSupport
import Testing

/// The figures of README and `results.md` follow from the stored trials, as `scripts/results.py --verify` shows.
@Suite struct PublishedFiguresTests {
    /// A clone with its history, and with the files as they are here.
    private func package() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let copied = try EarshotProcess(
            shell: """
                git clone -q --shared '\(PackageFolder.path)' '\(folder.path)/clone' && cd '\(PackageFolder.path)' && \
                tar -c README.md Reports scripts python/earshot_judge Sources/*/*.docc | tar -x -C '\(folder.path)/clone'
                """)
        try #require(copied.status == 0, "\(copied.errors)")
        return folder
    }

    private func verify(_ folder: TemporaryFolder) throws -> EarshotProcess {
        try EarshotProcess(shell: "exec python3 '\(folder.path)/clone/scripts/results.py' --verify")
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
        let lines = try String(contentsOfFile: folder.file("clone/" + name), encoding: .utf8)
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
                toFile: folder.file("clone/" + name), atomically: true, encoding: .utf8)
            let run = try verify(folder)
            #expect(run.status == 1 && run.errors.contains(name), "\(changed[index]): \(run.errors)")
        }
    }

    /// Each change is made as one would who wants it believed: tables and digests are written again.
    @Test(arguments: [
        (
            "sed -i 's/\"engine\": \"[0-9.]*\"/\"engine\": \"9.99\"/' Reports/results/conditions.json",
            "engine 9.99"
        ),
        ("sed -i 's/Earshot missed: [^.]*[.]/Earshot missed: none./' Reports/results/runs.json", "remarks"),
        ("sed -i 's/\"seed\": 2026112/\"seed\": 2026113/' Reports/results/negatives.json", "seed"),
        ("sed -i '2s/[0-9][0-9]*$/1/' Reports/results/arena.csv", "arena"),
        ("sed -i '9d' Reports/looks.csv", "of the history is missing"),
        ("sed -i '0,/88[.]0 %/s//98.0 %/' Sources/Evaluation/Evaluation.docc/Plans.md", "Plans.md"),
        ("sed -i '0,/| 100 | 100 |/s//| 100 | 99 |/' Sources/Evaluation/*.docc/Gates.md", "Gates.md"),
        (
            """
            python3 - <<'END'
            import csv, hashlib, io, json, lzma
            trials = "Reports/results/trials/negatives.csv.xz"
            rows = list(csv.DictReader(io.StringIO(lzma.open(trials, "rt", newline="").read(), newline="")))
            for row in rows:
                row["answerReference"] = ""
            text = io.StringIO()
            writer = csv.DictWriter(text, rows[0], lineterminator="\\n")
            writer.writeheader()
            writer.writerows(rows)
            content = text.getvalue().encode()
            open(trials, "wb").write(lzma.compress(content))
            stored = json.load(open("Reports/results/negatives.json"))
            stored["run"]["trials"][0][1] = hashlib.sha256(content).hexdigest()
            stored["overall"]["falseAcceptRate"]["count"] = 0
            json.dump(stored, open("Reports/results/negatives.json", "w"))
            END
            """, "answerReference"
        ),
    ])
    func aForgedRunIsFound(_ change: String, _ word: String) throws {
        let folder = try package()
        let forged = try EarshotProcess(
            shell: """
                cd '\(folder.path)/clone' && \(change)
                git diff --quiet && exit 9; python3 scripts/results.py
                """)
        try #require(forged.status == 0, "\(forged.errors)")
        let run = try verify(folder)
        #expect(run.status == 1 && run.errors.contains(word), "\(run.errors)")
    }

    @Test func missingAndOtherTrialsAreFound() throws {
        let folder = try package()
        let trials = folder.file("clone/Reports/results/trials/standard.csv.xz")
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

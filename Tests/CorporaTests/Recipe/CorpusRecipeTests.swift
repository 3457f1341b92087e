import Corpora
import TestSupport
import Testing

@Suite struct CorpusRecipeTests {
    @Test func readsPackagesWithTheirRoles() throws {
        let text = """
            description: Two packages.
            licence: GPL-2+
            role: reference
            minimumSeconds: 12.5
            packages:
              - name: first-music
                files: ["usr/share/first/**/*.ogg"]
              - name: second-data
                files:
                  - {glob: usr/share/second/sounds/*.wav, role: "noise:ambience"}
                  - usr/share/second/*.ogg
            """
        let recipe = try CorpusRecipe(YAMLReader(text: text, name: "two.yaml"), name: "two")
        #expect(recipe.name == "two")
        #expect(recipe.minimumSeconds == 12.5)
        #expect(recipe.packages.map(\.name) == ["first-music", "second-data"])
        let first = "usr/share/first/deep/er/a.ogg"
        #expect(recipe.fileSet(package: "first-music", path: first)?.role == .reference)
        #expect(recipe.identifier(package: "first-music", path: first) == "first-music/deep/er/a.ogg")
        let sound = "usr/share/second/sounds/b.wav"
        #expect(recipe.fileSet(package: "second-data", path: sound)?.role == .noise(.ambience))
        #expect(recipe.fileSet(package: "second-data", path: "usr/share/second/sounds/b.ogg") == nil)
    }

    @Test(arguments: [
        (
            "licence: x\ndescription: y\n", 1,
            "expected one of `packages`, `synthetic`, `renditions` and `folder`, found none"
        ),
        ("description: y\npackages: []\n", 1, "the key `licence` is missing"),
        ("licence: x\ndescription: y\nrole: noisy\npackages: []\n", 3, "expected one of reference, negative"),
        ("licence: x\ndescription: y\nminimumSecond: 3\n", 3, "unknown key `minimumSecond`"),
        ("licence: x\ndescription: y\nexam: 1\npackages: []\n", 3, "`exam`: expected true or false"),
        ("licence: x\ndescription: y\nexam: \"true\"\n", 3, "`exam`: expected true or false"),
        ("licence: x\ndescription: y\nexams: true\n", 3, "unknown key `exams`"),
        (
            "licence: x\ndescription: y\nminimumSeconds: long\n", 3,
            "expected a number, found the text \"long\""
        ),
        ("licence: x\ndescription: y\nminimumSeconds: -1\n", 3, "expected 0 or more"),
        ("licence: x\ndescription: y\npackages:\n  - name: a b\n    files: [c]\n", 4, "Debian package"),
        ("licence: x\ndescription: y\npackages:\n  - name: ab\n", 4, "expected at least one pattern"),
        ("licence: x\ndescription: y\npackages:\n  - name: ab\n    files: [../c]\n", 5, "relative to"),
        ("licence: x\ndescription: y\npackages:\n  - name: ab\n    files: [/c]\n", 5, "relative to"),
        ("licence: x\ndescription: y\npackages:\n  - name: ab\n    file: [c]\n", 5, "unknown key `file`"),
        (
            "licence: x\ndescription: y\nsynthetic: {tracks: 0, seconds: 1, seed: 1}\n", 3,
            "1 to 10000, found 0"
        ),
        (
            "licence: x\ndescription: y\nsynthetic: {tracks: 1, seconds: 1, seed: -1}\n", 3,
            "expected 0 or more"
        ),
        ("licence: x\ndescription: y\nsynthetic: {tracks: 1, seconds: 1}\n", 3, "the key `seed` is missing"),
    ])
    func namesLineAndExpectation(text: String, line: Int, message: String) {
        do {
            _ = try CorpusRecipe(YAMLReader(text: text, name: "bad.yaml"), name: "bad")
            Issue.record("accepted: \(text)")
        } catch let error as ConfigurationError {
            #expect(error.line == line, "\(error)")
            #expect(error.message.contains(message), "\(error)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(arguments: [
        ("a/*.ogg", "a/b.ogg", true), ("a/*.ogg", "a/b/c.ogg", false), ("a/**/*.ogg", "a/c.ogg", true),
        ("a/**/*.ogg", "a/b/d/c.ogg", true), ("a/**", "a/b/c", true), ("a/?.wav", "a/b.wav", true),
        ("a/?.wav", "a/bc.wav", false), ("a/*b*c.wav", "a/xbxbxc.wav", true), ("*", "", false),
        ("a/b", "a/b", true), ("a", "b", false), ("**", "x/y/z", true), ("a/*", "a", false),
    ])
    func globs(pattern: String, path: String, fits: Bool) {
        #expect(PathGlob(pattern).matches(path) == fits)
    }

    @Test func everyRecipeOfTheProjectMatchesItsLock() throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        let names = try library.names()
        #expect(
            names == [
                "ambience", "exam", "games", "games-small", "renditions", "speech", "speech-16k", "synthetic",
            ])
        var packages: [String: Set<String>] = [:]
        for name in names {
            let recipe = try library.recipe(named: name)
            #expect(try !library.lock(of: recipe).files.isEmpty)
            #expect(recipe.isExam == (name == "exam"))
            packages[name] = Set(recipe.packages.map(\.name))
        }
        let removed = packages.removeValue(forKey: "exam")
        let exam = try #require(removed)
        #expect(exam.count >= 6 && packages.values.allSatisfy(exam.isDisjoint))
    }
}

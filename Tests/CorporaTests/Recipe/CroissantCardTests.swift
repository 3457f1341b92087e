import Corpora
import Foundation
import TestSupport
import Testing

/// `mlcroissant validate` accepts such cards.
@Suite struct CroissantCardTests {
    private typealias Object = [String: Any]

    private func card(_ recipe: CorpusRecipe, _ lock: CorpusLock) throws -> Object {
        let text = try CroissantCard(recipe: recipe, lock: lock).json()
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object)
    }

    @Test func everyFileAndRecordingOfTheLockIsThere() async throws {
        let fixture = try CorpusFixture()
        try fixture.buildTunes()
        let recipe = try fixture.tuneRecipe()
        let lock = try await fixture.lock(recipe)
        let card = try card(recipe, lock)
        #expect(card["license"] as? String == "none")
        #expect(card["citeAs"] as? String == "Debian packages tune-music 1:1.0-1")
        let files = try #require(card["distribution"] as? [Object])
        #expect(files.compactMap { $0["sha256"] as? String } == lock.files.map(\.sha256))
        for file in files {
            let path = try #require(file["contentUrl"] as? String)
            #expect(FileManager.default.fileExists(atPath: "\(fixture.library.cacheFolder)/\(path)"))
            #expect(file["encodingFormat"] as? String == "audio/wav")
        }
        try expectRows(card, of: lock)
    }

    @Test(arguments: ["games", "games-small", "renditions", "speech-16k", "synthetic"])
    func cardsOfOurCorporaHaveDistinctNamesWithoutSpaces(name: String) throws {
        let library = try CorpusLibrary(recipeFolder: PackageFolder.path + "/Corpora")
        let recipe = try library.recipe(named: name)
        let lock = try library.lock(of: recipe)
        let card = try card(recipe, lock)
        let files = try #require(card["distribution"] as? [Object])
        #expect(files.count == (name == "synthetic" ? 0 : lock.packaged.count))
        let names = files.compactMap { $0["@id"] as? String }
        #expect(Set(names).count == files.count && !names.contains { $0.contains(" ") })
        #expect(files.allSatisfy { ($0["sha256"] as? String)?.count == 64 })
        try expectRows(card, of: lock)
    }

    /// Each recording has a value of each declared column, and no other.
    private func expectRows(_ card: Object, of lock: CorpusLock) throws {
        let set = try #require((card["recordSet"] as? [Object])?.first)
        let columns = Set(try #require(set["field"] as? [Object]).compactMap { $0["@id"] as? String })
        let rows = try #require(set["data"] as? [Object])
        #expect(rows.compactMap { $0["recordings/id"] as? String } == lock.files.map(\.id))
        #expect(rows.allSatisfy { Set($0.keys) == columns })
    }
}

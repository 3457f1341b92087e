import EarshotKit
import KitTestSupport
import Testing

/// Matches and items that a program makes, for tests and previews.
@Suite struct SHMatchTests {
    @Test func itemsAreMadeFromProperties() {
        let item = SHMatchedMediaItem(properties: [
            .title: "a", .matchOffset: 12, .frequencySkew: -0.25, .confidence: Float(0.5),
        ])
        #expect(item.title == "a" && item.matchOffset == 12 && item.frequencySkew == -0.25)
        #expect(item.confidence == 0.5 && item.predictedCurrentMatchOffset == 12)
        #expect(item[.matchOffset] as? Double == 12 && item[.frequencySkew] as? Double == -0.25)
        let bare = SHMatchedMediaItem(properties: [:])
        #expect(bare.matchOffset == 0 && bare.frequencySkew == 0 && bare.confidence == 0)
    }

    @Test func matchesAreMadeOfItems() throws {
        let item = SHMatchedMediaItem(properties: [.title: "a", .matchOffset: 1.5])
        let match = SHMatch(mediaItems: [item], querySignature: SongBook.signatures[0])
        let data = try NSKeyedArchiver.archivedData(withRootObject: match, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMatch.self, from: data))
        #expect(read == match && read.mediaItems.first?.title == "a")
    }

    /// Programs for Apple's systems make a match with a decoder of their own.
    @Test func archivesHaveTheNamesOfTheProperties() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode([SHMatchedMediaItem(properties: [.title: "a"])] as NSArray, forKey: "mediaItems")
        archiver.encode(SongBook.signatures[0], forKey: "querySignature")
        archiver.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(SHMatch(coder: reader)?.mediaItems.first?.title == "a")
    }
}

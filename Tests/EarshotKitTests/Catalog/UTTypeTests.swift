import EarshotKit
import Testing

@Suite struct UTTypeTests {
    @Test func typesOfShazamKitHaveApplesIdentifiers() {
        #expect(UTType.shazamCustomCatalog.identifier == "com.apple.shazamcatalog")
        #expect(UTType.shazamSignature.identifier == "com.apple.shazamsignature")
        #expect(UTType(filenameExtension: "shazamcatalog") == .shazamCustomCatalog)
    }

    @Test func extensionsHaveTypes() {
        #expect(UTType(filenameExtension: "MOV") == .quickTimeMovie)
        #expect(UTType(filenameExtension: "mp3")?.conforms(to: .audio) == true)
        #expect(UTType(filenameExtension: "mp4")?.conforms(to: .movie) == true)
        #expect(UTType(filenameExtension: "mp3", conformingTo: .movie) == nil)
        #expect(UTType(filenameExtension: "") == nil)
        let own = UTType(filenameExtension: "earcatalog")
        #expect(own?.isDynamic == true && own?.preferredFilenameExtension == "earcatalog")
        #expect(own?.conforms(to: .data) == true && own?.conforms(to: .audio) == false)
    }

    @Test func typesConformToTheirSupertypes() {
        let types: [UTType] = [
            .shazamSignature, .shazamCustomCatalog, .audio, .movie, .video, .quickTimeMovie, .mpeg4Movie,
            .mpeg4Audio,
            .mp3, .wav, .aiff, .avi, .json, .plainText, .commaSeparatedText, .image,
        ]
        for type in types {
            #expect(UTType(type.identifier) == type)
            #expect(type.isSubtype(of: .data) && type.conforms(to: type) && !type.isSubtype(of: type))
            #expect(type.supertypes.allSatisfy { !$0.conforms(to: type) })
        }
        #expect(UTType("org.example.unknown") == nil)
    }
}

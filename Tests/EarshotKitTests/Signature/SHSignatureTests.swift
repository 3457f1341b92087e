import EarshotKit
import Fingerprinting
import KitTestSupport
import TestSupport
import Testing

/// The bytes, equality and archives of signatures.
@Suite struct SHSignatureTests {
    private let signature = SongBook.signatures[0]

    @Test func signaturesRoundTripThroughBytes() throws {
        let read = try SHSignature(dataRepresentation: signature.dataRepresentation)
        #expect(read == signature && read.hash == signature.hash)
        #expect(read.duration == 30)
        #expect(read != SongBook.signatures[1])
        #expect(Set([read, signature, SongBook.signatures[1]]).count == 2)
        #expect(signature.copy() as? SHSignature === signature)
    }

    @Test func brokenBytesAreError200() throws {
        let bytes = try SongBook.query(0, from: 3, seconds: 1).dataRepresentation
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let error = #expect(throws: SHError.self) {
                try SHSignature(dataRepresentation: bytes.prefix(length))
            }
            #expect(error?.code == .signatureInvalid)
            #expect(error?.message.hasPrefix("signature: byte ") == true)
        }
    }

    @Test func signaturesOfOtherSettingsAreError200() throws {
        var settings = Settings()
        settings.analysis.lowestHertz = 300
        let other = try SignatureExtractor.signature(
            of: SongBook.songs[0].render(from: 0, seconds: 3), settings: settings)
        let error = #expect(throws: SHError.self) {
            try SHSignature(dataRepresentation: Data(other.encoded()))
        }
        #expect(error?.code == .signatureInvalid)
        #expect(error?.message.contains("other analysis settings") == true)
    }

    @Test func signaturesRoundTripThroughArchives() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: signature, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: SHSignature.self, from: data) == signature)
    }

    @Test func otherArchivesDecodeToNil() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Data([1, 0, 9]) as NSData, forKey: "data")
        archiver.finishEncoding()
        for data in [archiver.encodedData, NSKeyedArchiver(requiringSecureCoding: true).encodedData] {
            let reader = try NSKeyedUnarchiver(forReadingFrom: data)
            reader.decodingFailurePolicy = .setErrorAndReturn
            #expect(SHSignature(coder: reader) == nil)
        }
    }
}

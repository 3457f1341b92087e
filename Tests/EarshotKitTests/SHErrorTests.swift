import EarshotKit
import Testing

@Suite struct SHErrorTests {
    @Test(arguments: [
        (SHError.Code.invalidAudioFormat, 100), (.audioDiscontinuity, 101), (.signatureInvalid, 200),
        (.signatureDurationInvalid, 201), (.matchAttemptFailed, 202), (.customCatalogInvalid, 300),
        (.customCatalogInvalidURL, 301), (.mediaLibrarySyncFailed, 400), (.internalError, 500),
        (.mediaItemFetchFailed, 600),
    ])
    func codesAreApples(code: SHError.Code, number: Int) {
        let error: any Error = SHError(code)
        #expect((error as NSError).code == number)
        #expect((error as NSError).domain == SHErrorDomain)
        #expect(code ~= error)
    }

    @Test func aPatternCatchesItsCodeOnly() {
        func caught(_ code: SHError.Code) -> String {
            do {
                throw SHError(code)
            } catch SHError.signatureInvalid {
                return "signature"
            } catch {
                return "other"
            }
        }
        #expect(caught(.signatureInvalid) == "signature")
        #expect(caught(.signatureDurationInvalid) == "other")
    }

    @Test func detailsAreKept() {
        let inner = SHError(.internalError)
        let error = SHError(
            .matchAttemptFailed,
            userInfo: [NSUnderlyingErrorKey: inner, NSLocalizedDescriptionKey: "no network"])
        #expect(error.localizedDescription == "no network" && (error as NSError).code == 202)
        #expect((error as NSError).userInfo[NSUnderlyingErrorKey] as? SHError == inner)
        #expect(error.userInfo[NSUnderlyingErrorKey] as? SHError == inner)
        #expect(error == error && error != SHError(.matchAttemptFailed, message: "no network"))
        #expect(SHError(.signatureInvalid, userInfo: [:]).message == SHError(.signatureInvalid).message)
    }

    @Test func theMessageIsTheDescription() {
        let error: any Error = SHError(.signatureDurationInvalid, message: "0.5 s, at least 1 s is needed")
        #expect(error.localizedDescription == "0.5 s, at least 1 s is needed")
    }
}

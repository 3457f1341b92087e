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

    @Test func theMessageIsTheDescription() {
        let error: any Error = SHError(.signatureDurationInvalid, message: "0.5 s, at least 1 s is needed")
        #expect(error.localizedDescription == "0.5 s, at least 1 s is needed")
    }
}

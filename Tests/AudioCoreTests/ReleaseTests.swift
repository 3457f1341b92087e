import AudioCore
import Testing

@Suite struct ReleaseTests {
    @Test func newerFilesNameTheNextMinorVersion() {
        #expect(Release.newer == "written by Earshot 0.4 or later; this is 0.3.0")
    }

    @Test func onlyKnownFormatsAreRead() {
        for format in [0, -1, 4, 1 << 32 - 1, .max, .min] {
            #expect(Release.refusal(ofFormat: format, known: 2...3) != nil, "\(format)")
        }
        #expect(Release.refusal(ofFormat: 2, known: 2...3) == nil)
        #expect(Release.refusal(ofFormat: 3, known: 2...3) == nil)
        #expect(Release.refusal(ofFormat: 4, known: 2...3) == Release.newer)
        #expect(Release.refusal(ofFormat: 0, known: 1...1) == "has format 0; Earshot 0.3.0 reads 1")
        #expect(Release.refusal(ofFormat: 1, known: 2...3) == "has format 1; Earshot 0.3.0 reads 2 to 3")
    }
}

import AudioCore
import Testing

@Suite struct ReleaseTests {
    @Test func newerFilesNameTheNextMinorVersion() {
        #expect(Release.newer == "written by Earshot 0.4 or later; this is 0.3.0")
    }
}

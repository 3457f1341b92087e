import Foundation
import TestSupport
import Testing

/// A short run of the fuzzer over `earshot signature`; `scripts/README.md` has the long one.
@Suite struct MutatedAudioTests {
    @Test func everyMutatedFileIsReadOrRefusedWithAMessage() throws {
        let folder = try TemporaryFolder()
        let run = try EarshotProcess(
            shell: "exec \"$(dirname \"$EARSHOT\")/MutatedAudio\" --count 300 --folder '\(folder.path)' -- "
                + "\"$EARSHOT\" signature -i {file} -o {out}")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("300"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}

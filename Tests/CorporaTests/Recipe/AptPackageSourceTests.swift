import Corpora
import Foundation
import Synchronization
import TestSupport
import Testing

/// Uses a program that behaves like `apt-get download`, with a folder of packages.
@Suite struct AptPackageSourceTests {
    private func write(_ script: String, in fixture: CorpusFixture) throws -> AptPackageSource {
        let path = fixture.folder.file("apt-get")
        try Data("#!/bin/sh\n\(script)".utf8).write(to: URL(fileURLWithPath: "\(path).sh"))
        // A file that this process writes may still be open in a child of another test, and then it does not start.
        let copy = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: ["\(path).sh", path])
        copy.waitUntilExit()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return AptPackageSource(command: path)
    }

    private func archive(in fixture: CorpusFixture) throws -> AptPackageSource {
        try write(
            """
            for last; do :; done
            name=${last%%=*}
            version=$(echo "${last#$name}" | sed 's/^=//; s/:/%3a/')
            file=$(ls "\(fixture.packages)" | grep "^${name}_${version}" | tail -n 1)
            if [ -z "$file" ]; then echo "E: Unable to locate package $last" >&2; exit 100; fi
            case "$*" in
              *--print-uris*) echo "'http://example.org/$file' $file $(stat -c %s "\(fixture.packages)/$file") SHA256:0" ;;
              *) echo "$last" >> "\(fixture.folder.path)/downloads"; cp "\(fixture.packages)/$file" . ;;
            esac
            """, in: fixture)
    }

    @Test func fetchesTheLockedVersionWhileItIsOffered() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        try fixture.buildTunes(version: "1:2.0-1", changed: true)
        fixture.emptyCache()
        let sizes = Mutex<[Int?]>([])
        try await CorpusFetcher(library: fixture.library, source: archive(in: fixture)) { progress in
            if case .downloading(_, _, let total) = progress { sizes.withLock { $0.append(total) } }
        }.fetch(recipe)
        let asked = try String(contentsOfFile: fixture.folder.file("downloads"), encoding: .utf8)
        #expect(asked == "tune-music=1:1.0-1\n")
        let package = "\(fixture.packages)/tune-music_1%3a1.0-1_all.deb"
        let bytes = try FileManager.default.attributesOfItem(atPath: package)[.size] as? Int
        #expect(sizes.withLock { $0.first } == bytes)
        try Corpus.open(named: "tunes", in: fixture.library).verify()
    }

    @Test func takesWhatIsOfferedWhenTheLockedVersionIsGone() async throws {
        let fixture = try CorpusFixture()
        let recipe = try fixture.tuneRecipe()
        try fixture.buildTunes()
        _ = try await fixture.lock(recipe)
        try FileManager.default.removeItem(atPath: "\(fixture.packages)/tune-music_1%3a1.0-1_all.deb")
        try fixture.buildTunes(version: "1:1.0-2")
        fixture.emptyCache()
        try await CorpusFetcher(library: fixture.library, source: archive(in: fixture)).fetch(recipe)
        let asked = try String(contentsOfFile: fixture.folder.file("downloads"), encoding: .utf8)
        #expect(asked == "tune-music\n")
    }

    /// No apt, no network, or lists without the package.
    @Test(arguments: [
        nil, "echo 'E: Failed to fetch: Temporary failure resolving' >&2; exit 100", "exit 0",
        "echo \"'x' ../a 1\"", "echo 'E: Unable to locate package tune-music' >&2; exit 100",
    ])
    func isUnavailableWithoutAnArchive(script: String?) async throws {
        let fixture = try CorpusFixture()
        let source =
            if let script { try write(script, in: fixture) } else {
                AptPackageSource(command: "/nowhere/apt-get")
            }
        do {
            _ = try await source.download("tune-music", version: "1", into: fixture.folder.path) { _, _ in }
            Issue.record("a package came out of nowhere")
        } catch let error as CorpusError {
            #expect(error.code == .unavailable)
            if script == "exit 0" || script?.contains("locate") == true {
                #expect(error.description.hasSuffix("try `apt-get update`"))
            }
            if script?.contains("resolving") == true { #expect(error.description.contains("resolving")) }
        }
    }
}

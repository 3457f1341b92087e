import Foundation
import SystemIO

/// What every file of a corpus was when it was locked: the content of `Corpora/NAME.lock`.
///
/// The file is text with tab-separated columns, sorted, so that a change is a readable diff:
/// a line `earshot-corpus-lock 1`; a line `minimumSeconds S`; one line
/// `package NAME VERSION` for each package; and one line for each file with the columns
/// `file`, id, package, path, SHA-256, bytes, frames, rate, channels, role, class, offset.
package struct CorpusLock: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        package var id: String
        /// The Debian package it is in, or `synthetic`.
        package var package: String
        /// The path below the root of the package's file tree.
        package var path: String
        /// SHA-256 of the packaged file, in hexadecimal; of 16-bit samples where there is no file.
        package var sha256: String
        package var byteCount: Int
        package var frameCount: Int
        /// Its sample rate in hertz.
        package var sampleRate: Int
        package var channelCount: Int
        package var role: CorpusRole
        package var classID: String
        /// This recording at second t is the class's first at second t + `offsetSeconds`; nil
        /// where the two only share a passage.
        package var offsetSeconds: Double?

        package var durationSeconds: Double { Double(frameCount) / Double(sampleRate) }

        /// Describes a file; class and offset are those of a recording on its own unless given.
        package init(
            id: String, package: String, path: String, sha256: String, byteCount: Int, frameCount: Int,
            sampleRate: Int, channelCount: Int, role: CorpusRole, classID: String? = nil,
            offsetSeconds: Double? = 0
        ) {
            self.id = id
            self.package = package
            self.path = path
            self.sha256 = sha256
            self.byteCount = byteCount
            self.frameCount = frameCount
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.role = role
            self.classID = classID ?? id
            self.offsetSeconds = offsetSeconds
        }
    }

    /// Recordings shorter than this are locked but not used, in seconds.
    package let minimumSeconds: Double
    /// The version of each package the lock was made from.
    package let versions: [String: String]
    /// All files, sorted by package and path.
    package let files: [File]

    package init(minimumSeconds: Double, versions: [String: String], files: [File]) {
        self.minimumSeconds = minimumSeconds
        self.versions = versions
        self.files = files.sorted { ($0.package, $0.path) < ($1.package, $1.path) }
    }

    package var text: String {
        var lines = ["earshot-corpus-lock\t1", "minimumSeconds\t\(minimumSeconds)"]
        for (package, version) in versions.sorted(by: { $0.key < $1.key }) {
            lines.append("package\t\(package)\t\(version)")
        }
        for file in files {
            let offset = file.offsetSeconds.map { String(format: "%.6f", $0) } ?? "-"
            let columns = [
                "file", file.id, file.package, file.path, file.sha256, "\(file.byteCount)",
                "\(file.frameCount)", "\(file.sampleRate)", "\(file.channelCount)", "\(file.role)",
                file.classID, offset,
            ]
            lines.append(columns.joined(separator: "\t"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// SHA-256 of ``text``, in hexadecimal: what reports give as the identity of a corpus.
    package var digest: String { Digest.sha256(text) }
}

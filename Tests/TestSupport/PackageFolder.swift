import Foundation

/// The folder that holds `Package.swift`.
public enum PackageFolder {
    /// Its absolute path.
    public static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// The folder of a corpus `synthetic` that is a quarter as long as the project's, and of the project's plans.
    public static let shortCorpora = path + "/Tests/Corpora"
}

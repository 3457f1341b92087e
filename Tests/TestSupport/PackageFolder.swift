import Foundation

/// The folder that holds `Package.swift`.
public enum PackageFolder {
    /// Its absolute path.
    public static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().path
}

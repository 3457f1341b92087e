// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import SystemIO

/// A file of a report.
///
/// Its text is made when the file is written: those of a large run have tens of megabytes.
public struct ReportFile {
    /// The path in the folder of the report.
    public let name: String
    /// Makes the content.
    public let text: () throws -> String

    init(_ name: String, _ text: @autoclosure @escaping () throws -> String) {
        self.name = name
        self.text = text
    }

    /// A table as CSV.
    init<Row>(_ name: String, _ columns: [Table<Row>.Column], _ rows: @autoclosure @escaping () -> [Row]) {
        self.init(name, Table(columns).csv(rows()))
    }
}

/// A run or a study that is written as files.
public protocol Report {
    /// The main figures as plain text for a terminal.
    var summary: String { get }

    /// The files in the order in which they are written. The last is the one to open.
    ///
    /// - Parameter charts: the chart library to embed; without one the pages have tables only.
    func files(charts: ChartLibrary?) throws -> [ReportFile]

    /// Removes the files of an earlier report that this one does not replace.
    func removeStaleFiles(in folder: String) throws
}

extension Report {
    /// Removes nothing.
    public func removeStaleFiles(in folder: String) throws {}

    /// Writes each file atomically into `folder` and makes the folder if there is none.
    ///
    /// - Returns: the path of the last file.
    @discardableResult
    public func write(to folder: String, charts: ChartLibrary? = .installed()) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try removeStaleFiles(in: folder)
        var path = folder
        for file in try files(charts: charts) {
            path = "\(folder)/\(file.name)"
            if file.name.contains("/") {
                let parent = (path as NSString).deletingLastPathComponent
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            }
            try AtomicFile.write(file.text(), to: path)
        }
        return path
    }
}

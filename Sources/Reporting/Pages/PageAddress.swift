// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// Addresses of pages in folders that stay where they are to each other.
enum PageAddress {
    /// The address of a file on a page in `folder`.
    static func relative(to file: URL, from folder: URL) -> String {
        let here = folder.resolvingSymlinksInPath().standardizedFileURL.pathComponents
        let there = file.resolvingSymlinksInPath().standardizedFileURL.pathComponents
        let shared = zip(here, there).prefix { $0 == $1 }.count
        let path = here.dropFirst(shared).map { _ in ".." } + there.dropFirst(shared)
        // A name with a colon would be taken for a scheme.
        return (["."] + path.map(encoded)).joined(separator: "/")
    }

    /// The address of a trial on the page of its run.
    static func trial(_ name: String, on page: String) -> String { "\(page)#trial=\(encoded(name))" }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }
}

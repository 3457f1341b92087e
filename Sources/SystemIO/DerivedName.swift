/// Names of files that are made of other names.
package enum DerivedName {
    /// The most bytes of a name that file systems take.
    package static let longest = 255

    /// The stem of a name with an extension; a stem that is too long is shortened, and its digest keeps it unique.
    package static func stem(_ stem: String, forExtension fileExtension: String) -> String {
        let most = longest - fileExtension.utf8.count - 1
        guard stem.utf8.count > most else { return stem }
        let digest = "~" + Digest.sha256(stem).prefix(12)
        var cut = stem[...]
        while cut.utf8.count > most - digest.utf8.count { cut.removeLast() }
        return cut + digest
    }
}

/// What differs between the versions of catalog files; every version since 0.1.0 is read.
///
/// A change of any section takes a new number, and a row here. Two layouts have the number 6: release 0.2.0 wrote the second,
/// and the first was written for an hour before. The length of section `GROUPS` tells them apart, as the first has twice as
/// many groups.
struct CatalogLayout: Hashable, Sendable {
    let version: UInt32
    /// The form of the peaks.
    let records: PeakRecords
    /// How many keys of the index are coded together.
    let keysPerGroup: Int

    /// Those of all versions, in order; the last is today's.
    static let all = [
        CatalogLayout(version: 4, records: .withoutLevels, keysPerGroup: 80),
        CatalogLayout(version: 5, records: .current, keysPerGroup: 80),
        CatalogLayout(version: 6, records: .current, keysPerGroup: 160),
        CatalogLayout(version: 6, records: .current, keysPerGroup: 320),
        CatalogLayout(version: 7, records: .current, keysPerGroup: 320),
    ]

    static let versions = all[0].version...all[all.count - 1].version

    /// The form of the peaks in files of a version.
    static func records(ofVersion version: UInt32) -> PeakRecords {
        all.first { $0.version == version }?.records ?? .current
    }

    /// Whether this engine looks queries up in the file's own index.
    var hasCurrentIndex: Bool { records == .current && keysPerGroup == ListEnds.keysPerGroup }
}

extension CatalogLayout {
    /// Finds the layout of a file.
    ///
    /// - Throws: `FingerprintingError.malformedFile` for an index of another size than that of the file's version.
    init(of file: MappedFile, shards: Int, keys: KeySpace) throws {
        let groups = try file.section("GROUPS", of: UInt32.self)
        let known = Self.all.filter { $0.version == file.frame.version }
        guard let layout = known.first(where: { $0.groupNumbers(shards: shards, keys: keys) == groups.count })
        else {
            let expected = known.map { "\($0.groupNumbers(shards: shards, keys: keys))" }
            throw groups.error(
                at: 0,
                expected:
                    "\(expected.joined(separator: " or ")) numbers in section GROUPS, found \(groups.count)")
        }
        self = layout
    }

    /// The length of section `GROUPS`: two numbers for each group, and two for the end of each shard.
    private func groupNumbers(shards: Int, keys: KeySpace) -> Int {
        shards * 2 * ((keys.keyCount + keysPerGroup - 1) / keysPerGroup + 1)
    }
}

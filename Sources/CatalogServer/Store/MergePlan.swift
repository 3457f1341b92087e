/// Which segments of a store are merged.
package enum MergePlan {
    /// A segment in memory is written to a file from this number of references on.
    static let referencesInMemory = 16
    /// Files of one size class are merged from this number on; sizes of the next class are as many times as great.
    private static let filesOfAClass = 4

    /// The places of files that are to be merged, by their numbers of references; empty if none are.
    ///
    /// They are of one size class. So a reference is written again once for each class that it passes, and the work for
    /// n references grows as n log n. At most three files of a class are left.
    package static func due(sizes: [Int]) -> [Int] {
        let classes = Dictionary(grouping: sizes.indices) { sizeClass(of: sizes[$0]) }
        return classes.filter { $0.value.count >= filesOfAClass }.min { $0.key < $1.key }?.value ?? []
    }

    private static func sizeClass(of size: Int) -> Int {
        var (rest, number) = (size, 0)
        while rest >= filesOfAClass { (rest, number) = (rest / filesOfAClass, number + 1) }
        return number
    }
}

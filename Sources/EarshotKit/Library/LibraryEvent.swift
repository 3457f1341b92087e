import Foundation

/// Something that happened to the library, on this machine or another: what databases and journals are made of.
///
/// Every addition has a tag of its own, and a removal names the tag it takes away, so that events may be applied in any
/// order, any number of times, with one result: an item is there as long as one of its additions is not removed.
package enum LibraryEvent: Hashable, Sendable {
    /// An app added an item.
    case addition(Addition)
    /// The addition with `tag` was taken away.
    case removal(tag: UUID)

    /// What errors call it.
    var name: String {
        switch self {
        case .addition(let addition): "addition \(addition.tag)"
        case .removal(let tag): "removal of \(tag)"
        }
    }

    /// An app's item and what tells it from all other additions.
    package struct Addition: Hashable, Sendable {
        /// Unique among all machines.
        package let tag: UUID
        /// The app that added it.
        package let app: String
        /// What identifies the item among those of its app.
        package let shazamID: String
        /// Greater than those of all events known where it was added.
        package let clock: Int64
        /// The item's stored form.
        package let item: Data

        /// Takes the parts.
        package init(tag: UUID, app: String, shazamID: String, clock: Int64, item: Data) {
            self.tag = tag
            self.app = app
            self.shazamID = shazamID
            self.clock = clock
            self.item = item
        }
    }

    /// Clocks lie below this, so that counting on from them cannot overflow.
    package static let clockLimit: Int64 = 1 << 53
}

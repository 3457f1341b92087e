/// A matcher whose catalog can be filled up with references that never sounded.
///
/// A filler must be to a query what a real reference is that does not hold it: as many peaks a second, as
/// alike to each other and to queries. What is found among fillers then tells what would be found among
/// so much music.
public protocol GrowingMatcher: Matcher {
    /// Learns fillers, drawn from the references learnt so far; before ``Matcher/finishEnrolment()``.
    ///
    /// The first fillers of a seed are the same however many follow.
    ///
    /// - Parameter hours: How long they are together.
    func enrolFiller(hours: Double, seed: UInt64) throws
}

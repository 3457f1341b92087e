/// A matcher whose catalog can grow by synthetic references, called fillers.
///
/// A filler must look to a query like a real reference that does not contain it. It has as many peaks a second, and
/// is as similar to other references and to queries. Matches among fillers then predict matches among as much music.
public protocol GrowingMatcher: Matcher {
    /// Enrols fillers, made from the references enrolled so far; called before ``Matcher/finishEnrolment()``.
    ///
    /// The first fillers of a seed are the same for any number.
    ///
    /// - Parameter hours: The total length.
    func enrolFiller(hours: Double, seed: UInt64) throws
}

/// A place worth checking: where in which reference the query's middle may be, and how skewed.
struct Candidate: Sendable {
    /// The reference's place in the catalog.
    let reference: Int
    /// The frame of the reference that is heard at `queryFrame`.
    let referenceFrame: Int
    /// The query frame that times are counted from: the middle of the part that voted.
    let queryFrame: Int
    /// The frequency skew in octaves.
    let octaves: Float
    /// The votes it got.
    let votes: Int
}

/// Where query time and frequency lie in a reference: a straight line in time, a shift in octaves.
///
/// Query frame `queryFrame` + u lies at reference frame `referenceFrame` + shift + (1 + timeSkew)·u.
struct Alignment: Sendable {
    /// Reference frames at u = 0 beyond the candidate's.
    var shift: Float
    /// Reference frames per query frame, less 1.
    var timeSkew: Float
    /// log2 of query frequency over reference frequency.
    var octaves: Float
}

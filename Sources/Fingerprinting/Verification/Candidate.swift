/// A possible match: a reference, a place in it and a frequency skew.
struct Candidate: Sendable {
    /// The reference's index in the catalog.
    let reference: Int
    /// The frame of the reference at `queryFrame`.
    let referenceFrame: Int
    /// The query frame that times count from: the middle of the part that voted.
    let queryFrame: Int
    /// The frequency skew in octaves.
    let octaves: Float
    let votes: Int
}

/// The map from query to reference: a straight line in time, a shift in octaves.
///
/// Query frame `queryFrame` + u is at reference frame `referenceFrame` + shift + (1 + timeSkew)·u.
struct Alignment: Sendable {
    /// The reference frame at u = 0 less the candidate's.
    var shift: Float
    /// Reference frames per query frame, less 1.
    var timeSkew: Float
    /// log2 of query frequency over reference frequency.
    var octaves: Float
}

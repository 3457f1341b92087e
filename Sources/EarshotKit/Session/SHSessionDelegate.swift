/// Is told what a session found.
///
/// Both methods are optional. They are called on whatever thread the answer was found: during `matchStreamingBuffer` that
/// is the caller's. What was found in a stream is told one after the other, in its order; when another thread is telling,
/// it tells what `matchStreamingBuffer` found too.
public protocol SHSessionDelegate: NSObjectProtocol {
    /// A query, or what was heard last of a stream, is of references of the catalog.
    func session(_ session: SHSession, didFind match: SHMatch)

    /// It is of none of them, or there was an error.
    ///
    /// - Parameters:
    ///   - session: the session that looked it up.
    ///   - signature: what was looked up.
    ///   - error: nil when all went well and nothing was found; an `SHError` otherwise.
    func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?)
}

extension SHSessionDelegate {
    /// Does nothing.
    public func session(_ session: SHSession, didFind match: SHMatch) {}

    /// Does nothing.
    public func session(
        _ session: SHSession, didNotFindMatchFor signature: SHSignature, error: (any Error)?
    ) {}
}

/// An entry of a key's posting list: the time of a pair's anchor, and its frequency within the anchor bucket.
///
/// | bits | meaning |
/// |---|---|
/// | 0–2 | frequency within the anchor bucket, in eighths of it: 192 steps to the octave |
/// | 3–31 | time on the timeline in units of 4 frames (128 ms) |
///
/// 29 bits of time hold 19,000 hours: those of one `Shard`.
enum Posting {
    /// Frames to a unit of time.
    static let frames = 4
    /// Steps of the frequency to an anchor bucket.
    static let stepsPerBucket = 8
    static let mostFrames = frames << 29

    /// The posting of an anchor at a frame of the timeline.
    ///
    /// - Parameter step: The anchor's frequency in steps above one bin.
    @inline(__always)
    static func make(frame: Int, step: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: frame / frames) << 3 | UInt32(truncatingIfNeeded: step & 7)
    }
}

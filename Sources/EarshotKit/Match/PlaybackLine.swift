/// Where in a reference the playback is, as a straight line over the time of a clock.
struct PlaybackLine: Sendable {
    let clock: PlaybackClock
    /// A reading of the clock in seconds.
    let atSeconds: TimeInterval
    /// The reference time heard at that reading, in seconds.
    let positionSeconds: TimeInterval
    /// Reference seconds per second of the clock.
    let rate: Double

    /// The reference time heard now.
    var now: TimeInterval { position(at: clock.seconds) }

    /// The reference time heard at a reading of the clock.
    func position(at seconds: TimeInterval) -> TimeInterval { positionSeconds + (seconds - atSeconds) * rate }

    /// The reading of the clock at which a reference time is heard.
    func seconds(ofPosition position: TimeInterval) -> TimeInterval {
        atSeconds + (position - positionSeconds) / rate
    }
}

import ArgumentParser
import EarshotKit
import Foundation

/// The time of day at which a recording or a stream begins.
struct WallClock {
    /// In UTC whatever the zone is, so that a day has 24 hours.
    private let start: Date
    private let hasDate: Bool
    /// What follows a time: `Z`, `+02:00` or nothing.
    private let zone: String

    /// Parses `06:00`, `06:00:30` or `2026-11-27T06:00:00+01:00`, of which the seconds and the zone may be missing.
    ///
    /// - Throws: `ValidationError` for other text, or a day or time that there is not.
    init(parsing text: String) throws {
        let form =
            /(?:(\d{4}-\d{2}-\d{2})[T ])?(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?/
        guard let match = text.wholeMatch(of: form),
            let start = DateCell.date(of: "\(match.1 ?? "2000-01-01")T\(match.2)\(match.3 ?? ":00")Z")
        else {
            throw ValidationError(
                "expected a time such as 06:00 or 06:00:30, or a date and a time such as 2026-11-27T06:00:30+01:00"
            )
        }
        self.start = start
        hasDate = match.1 != nil
        zone = match.4.map(String.init) ?? ""
    }

    /// The clock of a stream that begins now, in the zone of the machine.
    init() {
        let offset = TimeZone.current.secondsFromGMT()
        start = Date.now + Double(offset)
        hasDate = true
        let minutes = abs(offset) / 60
        zone = String(format: "%@%02d:%02d", offset < 0 ? "-" : "+", minutes / 60, minutes % 60)
    }

    /// The time of day at seconds of the recording, to a millisecond; with the date if the start has one.
    func time(at seconds: Double) -> String {
        let milliseconds = ((start.timeIntervalSince1970 + seconds) * 1000).rounded()
        let whole = (milliseconds / 1000).rounded(.down)
        let text = Date(timeIntervalSince1970: whole).formatted(.iso8601).dropLast()
        return String(text.dropFirst(hasDate ? 0 : "2000-01-01T".count))
            + String(format: ".%03.0f", milliseconds - whole * 1000) + zone
    }

    /// The times of day at both ends of a range of seconds.
    func times(of range: Range<Double>) -> [String] { [range.lowerBound, range.upperBound].map(time) }
}

/// The option that gives times of day.
struct WallClockOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The time of day at the beginning: HH:MM, HH:MM:SS, or a date and time.",
            discussion:
                "An example of a date and time is 2026-11-27T06:00:30. A zone such as Z or +01:00 can follow."
        ),
        transform: WallClock.init(parsing:))
    var wallClock: WallClock?
}

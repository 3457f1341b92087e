import AudioCore

/// A number of minutes as an estimate is written.
enum MinutesText {
    static func of(_ minutes: Double) -> String { minutes < 1 ? "<1" : "\(Int(bounded: minutes.rounded()))" }
}

import SystemIO

/// Audio that is too short for a sure answer.
enum ShortAudio {
    /// What recognition needs, in seconds: a shorter query is often found, but not in noise.
    private static let usualSeconds = 3.0

    /// Warns of what is too short, in one line for all.
    static func warn(of audio: [(name: String, seconds: Double)]) {
        let short = audio.filter { $0.seconds < usualSeconds }
        guard let first = short.first else { return }
        let others = short.count > 1 ? ", as \((short.count - 1).counting("other is", "others are"))" : ""
        StandardError.warn(
            "\(first.name): \(formatNumber(first.seconds, digits: 1)) s is too short for a sure answer\(others); "
                + "take \(formatNumber(usualSeconds)) s or more")
    }
}

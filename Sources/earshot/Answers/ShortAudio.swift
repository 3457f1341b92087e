import SystemIO

/// Audio that is too short for a sure answer.
enum ShortAudio {
    /// What recognition needs, in seconds: a shorter query is often found, but not in noise.
    private static let usualSeconds = 3.0

    static func warn(of name: String, seconds: Double) {
        guard seconds < usualSeconds else { return }
        StandardError.warn(
            "\(name): \(formatNumber(seconds, digits: 1)) s is too short for a sure answer; take "
                + "\(formatNumber(usualSeconds)) s or more")
    }
}

extension Settings {
    /// The version of the engine; it changes whenever the same settings may give other answers.
    public static let engineVersion = "2.2"
}

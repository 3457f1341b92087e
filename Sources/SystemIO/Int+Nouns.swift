extension Int {
    /// The number and its noun: "1 query", "2 queries".
    ///
    /// - Parameter several: The plural, if it is not `one` and an s.
    package func counting(_ one: String, _ several: String? = nil) -> String {
        "\(self) \(self == 1 ? one : several ?? one + "s")"
    }
}

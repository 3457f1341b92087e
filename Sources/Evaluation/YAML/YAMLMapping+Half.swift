extension YAMLMapping {
    /// A half of a corpus; the test half where the key is missing.
    ///
    /// - Throws: ``ConfigurationError`` with file and line when it names neither half.
    func half(_ key: String) throws -> CorpusHalf {
        let name = try string(key, default: CorpusHalf.test.rawValue)
        guard let half = CorpusHalf(rawValue: name) else {
            throw error("`\(key)`: expected test or tuning, found \"\(name)\"")
        }
        return half
    }
}

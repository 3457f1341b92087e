extension Settings {
    /// The version of the choice and the keys of pairs of peaks.
    private static let indexVersion: Int64 = 3

    /// A setting that a catalog file holds, because its peaks or its index depend on it.
    private struct Stored: Sendable {
        let name: String
        /// The values that a file may hold.
        let range: ClosedRange<Double>
        let value: @Sendable (Settings) -> Double
        let set: @Sendable (inout Settings, Double) -> Void

        init<Number: BinaryFloatingPoint & SendableMetatype>(
            _ name: String, _ path: WritableKeyPath<Settings, Number> & Sendable, _ range: ClosedRange<Double>
        ) {
            self.name = name
            self.range = range
            value = { Double($0[keyPath: path]) }
            set = { $0[keyPath: path] = Number($1) }
        }

        init(_ name: String, _ path: WritableKeyPath<Settings, Int> & Sendable, _ range: ClosedRange<Int>) {
            self.name = name
            self.range = Double(range.lowerBound)...Double(range.upperBound)
            value = { Double($0[keyPath: path]) }
            set = { $0[keyPath: path] = Int($1) }
        }

        /// A number that never changes.
        init(_ name: String, constant: Int) {
            self.name = name
            range = Double(constant)...Double(constant)
            value = { _ in Double(constant) }
            set = { _, _ in }
        }
    }

    private static let all = [
        Stored("analysis.lowestHertz", \.analysis.lowestHertz, 20...7000),
        Stored("analysis.highestHertz", \.analysis.highestHertz, 20...7450),
        Stored("analysis.silencePower", \.analysis.silencePower, 1e-12...1),
        Stored("analysis.envelopeWeight", \.analysis.envelopeWeight, 0...2),
        Stored("analysis.envelopeFrames", \.analysis.envelopeFrames, 1...1000),
        Stored("analysis.rankFrames", \.analysis.rankFrames, 1...100),
        Stored("analysis.rankOctaves", \.analysis.rankOctaves, 0.01...4),
        Stored("analysis.referenceRank", \.analysis.referenceRank, 1...Peak.ranks),
        Stored("index.longestFrames", constant: Settings().index.longestFrames),
        Stored("index.widestOctaves", \.index.widestOctaves, 0.1...2),
        Stored("index.referencePairs", \.index.referencePairs, 1...64),
        Stored("index.ratioWeight", \.index.ratioWeight, 0...10),
        Stored("index.anchorStepsPerOctave", constant: Settings().index.anchorStepsPerOctave),
        Stored("index.ratioStepBins", \.index.ratioStepBins, 0.1...10),
        Stored("index.finestRatioOctaves", \.index.finestRatioOctaves, 0.0005...0.05),
        Stored("index.coarsestRatioOctaves", \.index.coarsestRatioOctaves, 0.0005...0.2),
    ]

    /// The settings that determine a catalog file, by name.
    var stored: MediaItem {
        var properties = Self.all.map { MediaItem.Property($0.name, .number($0.value(self))) }
        properties.append(
            MediaItem.Property("analysis.identity", .integer(Int64(bitPattern: analysis.identity))))
        properties.append(MediaItem.Property("index.version", .integer(Self.indexVersion)))
        return MediaItem(properties)
    }

    /// These settings for queries, with those of a catalog file for peaks and index.
    ///
    /// - Parameter found: The settings in the file.
    /// - Throws: `FingerprintingError.incompatibleSignature` with the first setting that this engine cannot use.
    func honouring(_ found: MediaItem, name: String) throws -> Settings {
        var settings = self
        for setting in Self.all {
            let value = found[setting.name]
            guard case .number(let number)? = value, setting.range.contains(number) else {
                let range = setting.range
                let expected =
                    range.lowerBound == range.upperBound
                    ? Self.described(range.lowerBound)
                    : "\(Self.described(range.lowerBound))…\(Self.described(range.upperBound))"
                throw Self.error(name, setting.name, value, expected: expected)
            }
            setting.set(&settings, number)
        }
        guard !settings.analysis.bandsHertz.isEmpty else {
            throw Self.error(
                name, "analysis.highestHertz", found["analysis.highestHertz"],
                expected: "more than analysis.lowestHertz")
        }
        guard settings.index.finestRatioOctaves <= settings.index.coarsestRatioOctaves else {
            throw Self.error(
                name, "index.finestRatioOctaves", found["index.finestRatioOctaves"],
                expected: "at most index.coarsestRatioOctaves")
        }
        let expected = settings.stored
        for property in expected.properties where found[property.key] != property.value {
            throw Self.error(
                name, property.key, found[property.key], expected: Self.described(property.value))
        }
        guard found == expected else {
            throw FingerprintingError(.incompatibleSignature, "\(name): made with unknown settings")
        }
        return settings
    }

    /// Throws unless peaks and index are made alike under both settings.
    ///
    /// - Throws: `FingerprintingError.incompatibleSignature` with the first setting that differs.
    func expectSamePeaksAndIndex(as other: Settings) throws {
        let mine = stored
        for property in other.stored.properties where mine[property.key] != property.value {
            throw Self.error(
                "the catalogs cannot be merged", property.key, property.value,
                expected: mine[property.key].map(Self.described) ?? "none")
        }
    }

    private static func error(
        _ name: String, _ setting: String, _ value: MediaItem.Value?, expected: String
    ) -> FingerprintingError {
        FingerprintingError(
            .incompatibleSignature,
            "\(name): made with \(setting) = \(value.map(described) ?? "unknown"), expected \(expected);"
                + " make it again from the audio", remedy: .remakeCatalog)
    }

    private static func described(_ value: MediaItem.Value) -> String {
        switch value {
        case .number(let number): described(number)
        case .integer(let number): "\(number)"
        default: "no number"
        }
    }

    private static func described(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}

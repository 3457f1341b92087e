extension Settings {
    /// The version of the choice and the keys of pairs of peaks.
    private static let indexVersion: Int64 = 3

    /// The settings that determine a catalog file, by name: a catalog opens only under the same ones.
    var stored: MediaItem {
        var properties: [MediaItem.Property] = []
        for (name, value) in [
            ("analysis.lowestHertz", analysis.lowestHertz), ("analysis.highestHertz", analysis.highestHertz),
            ("analysis.silencePower", Double(analysis.silencePower)),
            ("analysis.envelopeWeight", Double(analysis.envelopeWeight)),
            ("analysis.envelopeFrames", Double(analysis.envelopeFrames)),
            ("analysis.rankFrames", Double(analysis.rankFrames)),
            ("analysis.rankOctaves", Double(analysis.rankOctaves)),
            ("analysis.referenceRank", Double(analysis.referenceRank)),
            ("index.longestFrames", Double(index.longestFrames)),
            ("index.widestOctaves", Double(index.widestOctaves)),
            ("index.referencePairs", Double(index.referencePairs)),
            ("index.ratioWeight", Double(index.ratioWeight)),
            ("index.anchorStepsPerOctave", Double(index.anchorStepsPerOctave)),
            ("index.ratioStepBins", Double(index.ratioStepBins)),
            ("index.finestRatioOctaves", Double(index.finestRatioOctaves)),
            ("index.coarsestRatioOctaves", Double(index.coarsestRatioOctaves)),
        ] {
            properties.append(MediaItem.Property(name, .number(value)))
        }
        properties.append(
            MediaItem.Property("analysis.identity", .integer(Int64(bitPattern: analysis.identity))))
        properties.append(MediaItem.Property("index.version", .integer(Self.indexVersion)))
        return MediaItem(properties)
    }

    /// Throws unless a catalog file was made under these settings.
    ///
    /// - Parameter found: The settings in the file.
    /// - Throws: `FingerprintingError.incompatibleSignature` with the first setting that differs.
    func expectStored(_ found: MediaItem, name: String) throws {
        for expected in stored.properties where found[expected.key] != expected.value {
            let value = found[expected.key].map(Self.described) ?? "unknown"
            throw FingerprintingError(
                .incompatibleSignature,
                "\(name): made with \(expected.key) = \(value), opened with \(Self.described(expected.value));"
                    + " open it with its own settings, or make it again from the audio",
                remedy: .remakeCatalog)
        }
        guard found == stored else {
            throw FingerprintingError(.incompatibleSignature, "\(name): made with unknown settings")
        }
    }

    private static func described(_ value: MediaItem.Value) -> String {
        switch value {
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .integer(let number): "\(number)"
        default: "no number"
        }
    }
}

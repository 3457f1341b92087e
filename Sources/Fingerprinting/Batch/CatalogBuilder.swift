import AudioCore

/// Makes a catalog of files, several at once.
public struct CatalogBuilder: Sendable {
    /// What became of the files.
    public struct Outcome: Sendable {
        /// The references, in the order of the files.
        public let references: [Reference]
        /// What the user should know about single files, in the same order.
        public let warnings: [String]

        /// The length of all references, in hours.
        public var hours: Double { references.reduce(0) { $0 + $1.signature.durationSeconds } / 3600 }
    }

    private let settings: Settings
    private let jobs: Int

    /// Prepares to work on up to `jobs` files at a time.
    public init(settings: Settings = Settings(), jobs: Int = 1) {
        self.settings = settings
        self.jobs = jobs
    }

    /// Makes the references of all sources.
    ///
    /// - Parameter progress: told how many files are done; may come from any thread.
    /// - Throws: what the first file that cannot be read throws.
    public func build(
        _ sources: [ReferenceSource], progress: @Sendable (Int) -> Void = { _ in }
    ) throws -> Outcome {
        let references = try ParallelMap.map(sources.count, jobs: jobs, progress: progress) { place in
            try sources[place].reference(settings: settings)
        }
        let warnings = zip(sources, references).compactMap { source, reference -> String? in
            if reference.signature.channelsCancel {
                return
                    "\(source.path): the channels cancel in their mean, one is inverted; it will be hard to recognise"
            }
            if reference.signature.peaks.isEmpty {
                return "\(source.path): there is nothing to recognise, it is silent or shorter than 0.1 s"
            }
            return nil
        }
        return Outcome(references: references, warnings: warnings)
    }
}

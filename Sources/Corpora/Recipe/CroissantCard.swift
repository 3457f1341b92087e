import Foundation

/// A corpus as catalogs of data sets read it: JSON-LD in the format Croissant 1.0 of MLCommons.
///
/// It has the licence, the files with their checksums, and a row for each recording. Paths are those below the cache, or below the
/// user's folder.
package struct CroissantCard {
    private let recipe: CorpusRecipe
    private let lock: CorpusLock

    package init(recipe: CorpusRecipe, lock: CorpusLock) {
        self.recipe = recipe
        self.lock = lock
    }

    package func json() throws -> String {
        let card: [String: Any] = [
            "@context": try JSONSerialization.jsonObject(with: Data(Self.context.utf8)),
            "@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": recipe.name, "description": recipe.description, "license": recipe.licence,
            "version": "1.0.0+\(lock.digest.prefix(12))", "citeAs": source,
            "distribution": distribution, "recordSet": [recordings],
        ]
        let data = try JSONSerialization.data(
            withJSONObject: card, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private var source: String {
        switch recipe.source {
        case .packages, .renditions:
            "Debian packages "
                + lock.versions.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
        case .synthetic: "Made by Earshot from a formula"
        case .folder: "A folder of recordings"
        }
    }

    private var distribution: [[String: Any]] {
        if case .synthetic = recipe.source { return [] }
        return lock.packaged.enumerated().map { number, file in
            let path = recipe.folder == nil ? "packages/\(file.package)/\(file.path)" : file.path
            let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
            return [
                // Identifiers may hold no spaces.
                "@type": "cr:FileObject", "@id": "file-\(number + 1)", "name": "\(file.package)/\(file.path)",
                "contentUrl": path, "contentSize": "\(file.byteCount) B", "sha256": file.sha256,
                "encodingFormat": Self.formats[ending] ?? "application/octet-stream",
            ]
        }
    }

    private var recordings: [String: Any] {
        let columns: [(name: String, type: String, meaning: String, value: (CorpusLock.File) -> Any)] = [
            ("id", "sc:Text", "The name of the recording", { $0.id }),
            ("package", "sc:Text", "The package that it is from", { $0.package }),
            ("path", "sc:Text", "Its path within the package", { $0.path }),
            ("role", "sc:Text", "What it is for", { "\($0.role)" }),
            ("class", "sc:Text", "The first of the recordings that share audio with it", { $0.classID }),
            ("seconds", "sc:Float", "Its length", { $0.durationSeconds }),
            ("sampleRate", "sc:Integer", "Its sample rate in hertz", { $0.sampleRate }),
            ("channels", "sc:Integer", "The number of its channels", { $0.channelCount }),
            ("sha256", "sc:Text", "The digest of its file, else of its 16-bit samples", { $0.sha256 }),
        ]
        return [
            "@type": "cr:RecordSet", "@id": "recordings", "name": "recordings",
            "description": "The recordings of the corpus.", "key": ["@id": "recordings/id"],
            "field": columns.map { column in
                [
                    "@type": "cr:Field", "@id": "recordings/\(column.name)", "name": column.name,
                    "description": column.meaning, "dataType": column.type,
                ]
            },
            "data": lock.files.map { file in
                Dictionary(uniqueKeysWithValues: columns.map { ("recordings/\($0.name)", $0.value(file)) })
            },
        ]
    }

    private static let formats = [
        "ogg": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac", "mp3": "audio/mpeg",
        "g722": "audio/G722", "mid": "audio/midi",
    ]

    /// The context that the format prescribes.
    private static let context = """
        {"@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
        "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
        "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/", "equivalentProperty": "cr:equivalentProperty",
        "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract", "field": "cr:field",
        "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet", "format": "cr:format",
        "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key",
        "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
        "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
        "samplingRate": "cr:samplingRate", "sc": "https://schema.org/", "separator": "cr:separator", "source": "cr:source",
        "subField": "cr:subField", "transform": "cr:transform"}
        """
}

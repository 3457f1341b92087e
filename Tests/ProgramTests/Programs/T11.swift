// swift-format-ignore-file
import ShazamKit

func merge(_ urls: [URL], into output: URL) throws -> SHCustomCatalog {
    let parent = SHCustomCatalog()
    for url in urls where url.pathExtension == "shazamcatalog" { try parent.add(from: url) }
    try parent.dataRepresentation.write(to: output, options: .atomic)
    return try SHCustomCatalog(dataRepresentation: Data(contentsOf: output))
}
func legacySave(_ catalog: SHCustomCatalog, to folder: URL) throws { try catalog.write(to: folder) }

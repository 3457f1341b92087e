import SystemIO

/// The file in which a user names a server: `$XDG_CONFIG_HOME/earshot/catalog.json`, by default in `~/.config`.
struct CatalogConfiguration: Decodable {
    let url: String
    let token: String?

    /// Reads the file that belongs to an environment; nil if there is none.
    init?(_ environment: [String: String]) throws(CatalogClient.Unreachable) {
        guard let path = Self.path(environment), FileManager.default.fileExists(atPath: path) else {
            return nil
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CatalogClient.Unreachable("\(path): cannot be read")
        }
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch {
            let place = (error as? DecodingError)?.place ?? "\(error)"
            throw CatalogClient.Unreachable(
                "\(path): \(place); expected {\"url\": \"http://HOST:PORT\", \"token\": \"…\"}")
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let mode = attributes?[.posixPermissions] as? Int ?? 0
        guard token == nil || mode & 0o007 == 0 else {
            throw CatalogClient.Unreachable(
                "\(path): every user of this machine can read the token; run chmod 600")
        }
    }

    /// A relative `XDG_CONFIG_HOME` does not count, as the XDG specification says.
    private static func path(_ environment: [String: String]) -> String? {
        let named = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = named ?? environment["HOME"].map { $0 + "/.config" }
        return folder.map { $0 + "/earshot/catalog.json" }
    }
}

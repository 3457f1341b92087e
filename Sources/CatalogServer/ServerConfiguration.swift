import EarshotKit

/// How a server is started.
package struct ServerConfiguration: Sendable {
    /// Catalog files.
    package var catalogs: [String]
    /// Addresses of servers that have parts of the catalog.
    package var parts: [String] = []
    /// The folder of references that clients change; nil for none.
    package var store: String?
    /// Whether damaged parts of the store are set aside, or the server does not start.
    package var setsAsideDamaged = false
    package var host: String
    /// 0 for any free one.
    package var port: Int
    /// Names besides `host` by which clients call the server.
    package var names: [String] = []
    /// The file of tokens; nil if everyone may match.
    package var tokens: String?
    /// The most requests of one address or token; 0 for no limit.
    package var requestsPerSecond = CatalogLimit.requestsPerSecond.value
    /// The most connections of one address; 0 for no limit.
    package var connectionsPerAddress = CatalogLimit.connectionsOfAddress.count
    /// Whether the client's address is what the header X-Forwarded-For ends with.
    package var trustsProxy = false
    /// The time for a request, or for taking an answer, in seconds.
    package var patienceSeconds = CatalogLimit.patienceSeconds.value
    /// Whether clients may send audio.
    package var acceptsAudio = false
    /// Whether each request is logged.
    package var isVerbose = false

    package init(catalogs: [String], host: String, port: Int) {
        self.catalogs = catalogs
        self.host = host
        self.port = port
    }
}

import ArgumentParser
import AudioIO
import EarshotKit

#if Server
    import CatalogServer
#endif

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve a catalog to other machines",
        discussion: """
            Programs name the server by EARSHOT_CATALOG_URL and send it signatures of 1 to 12 s, never audio. Prints its \
            address once it accepts connections. A browser shows the catalog's facts there. A replaced catalog file is \
            loaded within a second, and no request is lost. SIGTERM ends the server after the requests in progress. \
            Use a proxy for TLS. For example:

              earshot serve --catalog music.earcatalog &
              earshot match --catalog http://127.0.0.1:8080 query.wav

            Further limits; a request beyond one is refused with a reason:

            \(limits)
            """)

    @Option(
        help:
            "The catalog file, or the address of a server that has a part (http://…). Several are looked up as one.",
        completion: .catalogs)
    var catalog: [String] = []
    @Option(
        help: ArgumentHelp(
            "The folder of references that clients add, replace and remove.",
            discussion: "It is made if it does not exist. Clients need a token with the right write."),
        completion: .directory)
    var store: String?
    @Flag(
        help: ArgumentHelp(
            "Set damaged parts of the store aside and serve the rest.",
            discussion: "Without it, the server does not start. `earshot store check` names the damage."))
    var setAsideDamaged = false
    @Option(help: "The address and port to listen on; port 0 is any free one.")
    var address = "127.0.0.1:8080"
    @Option(
        help: ArgumentHelp(
            "A file of tokens. Without it, all clients may match.",
            discussion: "Each line is NAME RIGHT[,RIGHT] TOKEN. Rights are match and write."),
        completion: .file())
    var tokens: String?
    @Option(help: "The limit of requests a second for each address and each token; 0 for none.")
    var requestsPerSecond = CatalogLimit.requestsPerSecond.value
    @Option(help: "The time limit for a client to send a request, in seconds.")
    var patience = CatalogLimit.patienceSeconds.value
    @Option(help: "The limit of connections for each address; 0 for none. --trust-proxy removes it.")
    var connectionsPerAddress = CatalogLimit.connectionsOfAddress.count
    @Option(
        help: ArgumentHelp(
            "A name by which clients call the server, if not by its address. Can be repeated.",
            discussion: """
                With it the server refuses other names. At a loopback address it refuses all names but localhost, because \
                a web page could use a name of its own to read answers.
                """,
            valueName: "name"))
    var host: [String] = []
    @Flag(
        help: ArgumentHelp(
            "Accept audio too. The page at / then identifies a file that is dropped on it.",
            discussion:
                "Each file is decoded in a process that can only read it, with limits of memory and time."))
    var acceptAudio = false
    @Flag(help: "Take the client's address from the proxy's header X-Forwarded-For.")
    var trustProxy = false
    @Flag(name: .shortAndLong, help: "Log every request: route, status and time.")
    var verbose = false

    func validate() throws {
        try reject(if: catalog.isEmpty && store == nil, "Name what to serve with --catalog or --store.")
        try reject(
            if: setAsideDamaged && store == nil, "--set-aside-damaged needs --store.")
        try reject(
            if: store != nil && tokens == nil, "--store needs --tokens: without tokens no one may write.")
        try require("--requests-per-second", requestsPerSecond, in: 0...1e6)
        try require("--connections-per-address", connectionsPerAddress, in: 0...65_536)
        try require("--patience", patience, in: 0.1...3600, unit: "s")
        _ = try endpoint
    }

    private static var limits: String {
        CatalogLimit.fixed.map {
            "  \($0.text.padding(toLength: 7, withPad: " ", startingAt: 0)) \($0.meaning)"
        }
        .joined(separator: "\n")
    }

    private var endpoint: (host: String, port: Int) {
        get throws {
            guard let colon = address.lastIndex(of: ":"),
                let port = UInt16(address[address.index(after: colon)...])
            else { throw ValidationError("--address is \(address): expected HOST:PORT") }
            let host = address[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            guard !host.isEmpty, isBracketed || !host.contains(":") else {
                throw ValidationError("--address is \(address): expected HOST:PORT, or [HOST]:PORT for IPv6")
            }
            return (String(isBracketed ? host.dropFirst().dropLast() : host), Int(port))
        }
    }

    #if Server
        func run() async throws {
            let (host, port) = try endpoint
            var configuration = ServerConfiguration(
                catalogs: catalog.filter { !CatalogClient.isAddress($0) }, host: host, port: port)
            configuration.parts = catalog.filter(CatalogClient.isAddress)
            configuration.store = store
            configuration.setsAsideDamaged = setAsideDamaged
            configuration.tokens = tokens
            configuration.names = self.host
            configuration.requestsPerSecond = requestsPerSecond
            configuration.connectionsPerAddress = connectionsPerAddress
            configuration.acceptsAudio = acceptAudio
            configuration.trustsProxy = trustProxy
            configuration.patienceSeconds = patience
            configuration.isVerbose = verbose
            if acceptAudio { try DecoderSandbox.use(DecoderSandbox()) }
            try await CatalogServer(configuration).run { try StandardOutput.print("Listening on \($0)") }
        }
    #else
        func run() throws {
            throw CommandError(
                description:
                    "This build has no catalog server. Build with: swift build -c release --traits Server")
        }
    #endif
}

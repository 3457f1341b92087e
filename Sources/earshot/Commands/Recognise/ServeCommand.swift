import ArgumentParser
import AudioIO
import EarshotKit

#if Server
    import CatalogServer
#endif

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve a catalog to other machines over HTTP",
        discussion: """
            The server prints its address when it accepts connections. A browser shows a page about the catalog at that \
            address. Programs send signatures of 1 to 12 s, never audio. They take the address from EARSHOT_CATALOG_URL or \
            --catalog. If a catalog file is replaced, the server loads the new file within a second and loses no request. \
            SIGTERM ends the server after the requests in progress. For TLS, put a proxy before the server. For example:

              earshot serve --catalog music.earcatalog &
              earshot match --catalog http://127.0.0.1:8080 query.wav

            The server refuses a request that exceeds one of these limits, and says why:

            \(limits)
            """)

    @Option(
        name: [.long, .customShort("c")],
        help:
            "The catalog file, or the address of a server that has a part (http://…). Several count as one catalog.",
        completion: .catalogs)
    var catalog: [String] = []
    @Option(
        help: ArgumentHelp(
            "The folder of references that clients add, replace and remove.",
            discussion: "The folder is made if it does not exist. Clients need a token with the right write."),
        completion: .directory)
    var store: String?
    @Flag(
        help: ArgumentHelp(
            "Move damaged parts of the store aside, and serve the other parts.",
            discussion:
                "Without this option a damaged store is not served. `earshot store check` names the damage."))
    var setAsideDamaged = false
    @Option(help: "The address and port to listen on. Port 0 chooses any free port.")
    var address = "127.0.0.1:8080"
    @Option(
        help: ArgumentHelp(
            "The file of tokens. Without tokens, all clients may match.",
            discussion: "Each line is NAME RIGHT[,RIGHT] TOKEN. Rights are match and write."),
        completion: .file())
    var tokens: String?
    @Option(help: "The limit of requests a second for each address and each token. 0 is no limit.")
    var requestsPerSecond = CatalogLimit.requestsPerSecond.value
    @Option(help: "The time limit for a client to send a request, in seconds.")
    var patience = CatalogLimit.patienceSeconds.value
    @Option(help: "The limit of connections for each address. 0 is no limit, and so is --trust-proxy.")
    var connectionsPerAddress = CatalogLimit.connectionsOfAddress.count
    @Option(
        help: ArgumentHelp(
            "A host name of the server in requests, besides its address. Can be repeated.",
            discussion: """
                The server refuses requests with other names. At a loopback address without this option it accepts only \
                localhost, because a web page could otherwise read answers through a name that it controls.
                """,
            valueName: "name"))
    var host: [String] = []
    @Flag(
        help: ArgumentHelp(
            "Accept audio too. The page in the browser then recognises files that are dropped on it.",
            discussion:
                "Each file is decoded in a process that can only read it, with limits of memory and time."))
    var acceptAudio = false
    @Flag(help: "Take the address of a client from the header X-Forwarded-For of a proxy.")
    var trustProxy = false
    @Flag(name: .shortAndLong, help: "Log the route, status and time of every request.")
    var verbose = false

    func validate() throws {
        try reject(if: catalog.isEmpty && store == nil, "Name what to serve with --catalog or --store.")
        try require(["--set-aside-damaged"], with: "--store")
        try exclude("--trust-proxy", "--connections-per-address")
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

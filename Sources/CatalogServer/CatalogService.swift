import AudioCore
import Dispatch
import EarshotKit
import Fingerprinting
import Foundation
import Logging
import NIOHTTP1

/// Answers requests: checks what a client may do, asks the catalog, and counts.
final class CatalogService: Sendable {
    /// Shorter answers do not count, in bytes: a connection waits for one answer at a time.
    private static let shortAnswer = 4096
    /// The least limit of requests a second for health and figures, for programs that watch the server.
    private static let leastProbesPerSecond = 10.0

    private let catalog: LiveCatalog
    private let tokens: TokenList?
    private let trustsProxy: Bool
    private let acceptsAudio: Bool
    private let hosts: AllowedHosts
    private let addresses: RateLimiter
    /// Apart, so that who watches the server sees it while others ask too much.
    private let probes: RateLimiter
    private let holders: RateLimiter
    private let figures = ServerFigures()
    private let load: ServerLoad
    private let limits: [(name: String, value: Double)]
    private let workers: FairWorkers
    /// Changes wait for the disk, and must not keep queries waiting.
    private let writing = DispatchQueue(label: "earshot.service.write")
    private let log: Logger

    init(
        catalog: LiveCatalog, tokens: TokenList?, configuration: ServerConfiguration, load: ServerLoad,
        workers: FairWorkers, log: Logger
    ) {
        self.catalog = catalog
        self.tokens = tokens
        trustsProxy = configuration.trustsProxy
        acceptsAudio = configuration.acceptsAudio
        hosts = AllowedHosts(
            bound: configuration.host, names: configuration.names, trustsProxy: configuration.trustsProxy)
        let rate = configuration.requestsPerSecond
        addresses = RateLimiter(rate: rate)
        probes = RateLimiter(rate: rate == 0 ? 0 : max(rate, Self.leastProbesPerSecond))
        holders = RateLimiter(rate: rate)
        limits =
            CatalogLimit.fixed.map { ($0.name, $0.value) } + [
                (CatalogLimit.requestsPerSecond.name, rate),
                (CatalogLimit.connectionsOfAddress.name, Double(configuration.connectionsPerAddress)),
                (CatalogLimit.patienceSeconds.name, configuration.patienceSeconds),
            ]
        self.load = load
        self.workers = workers
        self.log = log
    }

    /// Decides at the head of a request whether its body is read.
    ///
    /// References and audio may be longer than other bodies, from clients who may send them.
    func begin(_ request: HTTPRequest) -> Result<BegunRequest, CatalogFault> {
        let route = Route(request)
        do throws(CatalogFault) {
            return .success(try admit(request, route))
        } catch {
            note(request, route, HTTPAnswer(error), since: .now)
            return .failure(error)
        }
    }

    private func admit(_ request: HTTPRequest, _ route: Route) throws(CatalogFault) -> BegunRequest {
        try hosts.check(request)
        let client = address(of: request)
        let limiter = route.isProbe ? probes : addresses
        guard limiter.allows(client) else { throw .tooMany("address") }
        if !route.isForAll { try check(route.right, request) }
        let mostBytes =
            switch route {
            case .recognise where acceptsAudio: CatalogLimit.audioBytes.count
            case .put: CatalogLimit.referenceBytes.count
            default: CatalogLimit.queryBytes.count
            }
        let isUpload = mostBytes > CatalogLimit.queryBytes.count
        return BegunRequest(
            mostBytes: mostBytes, bytes: (isUpload ? load.uploadBytes : load.queryBytes).share(of: client)
        ) { [self] body in
            await answer(request, body, route, client)
        }
    }

    /// The answer to a request, whatever it is.
    private func answer(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route, _ client: String
    ) async -> HTTPAnswer {
        let start = ContinuousClock.now
        var answer = await checkedAnswer(request, body, route, client)
        if answer.body.count > Self.shortAnswer {
            let bytes = load.answerBytes.share(of: client)
            do throws(CatalogFault) {
                try bytes.take(answer.body.count)
                answer.bytes = bytes
            } catch { answer = HTTPAnswer(error) }
        }
        note(request, route, answer, since: start)
        return answer
    }

    /// Counts and logs an answer.
    private func note(
        _ request: HTTPRequest, _ route: Route, _ answer: HTTPAnswer, since start: ContinuousClock.Instant
    ) {
        figures.count(route: route.name, status: answer.status)
        // Neither bodies nor tokens: a log is no place for what was heard.
        log.log(
            level: answer.status >= 500 ? .error : .info, "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route.name)", "status": "\(answer.status)",
                "milliseconds": "\(Int(bounded: (ContinuousClock.now - start) / .milliseconds(1)))",
                "bytes": "\(answer.body.count)",
            ])
    }

    private func checkedAnswer(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route, _ client: String
    ) async -> HTTPAnswer {
        do {
            switch route {
            case .health: return try HTTPAnswer(Health(setAside: catalog.setAside))
            case .metrics:
                return HTTPAnswer(
                    type: "text/plain; version=0.0.4", text: figures.text(gauges: gauges, limits: limits))
            case .page: return .page
            case .pageScript: return .pageScript
            case .contract: return .contract
            default: break
            }
            let place = load.requests.share(of: client)
            defer { withExtendedLifetime(place) {} }
            try place.take(1)
            return try await answerCatalog(request, body, route, client)
        } catch let fault as CatalogFault {
            return HTTPAnswer(fault)
        } catch is CancellationError {
            return HTTPAnswer(
                CatalogFault(.requestTimeout, "the client has gone", remedy: "Wait for the answer."))
        } catch let error as FingerprintingError {
            log.error("\(error)")
            return HTTPAnswer(.of(error))
        } catch {
            log.error("\(error)")
            return HTTPAnswer(.failed)
        }
    }

    private func answerCatalog(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route, _ client: String
    ) async throws -> HTTPAnswer {
        switch route {
        case .match:
            return try await match(QuerySignature(body), request, client)
        case .recognise:
            guard acceptsAudio else {
                throw CatalogFault(
                    .audioRefused, "this server takes no audio",
                    remedy:
                        "Send the audio's signature to /v1/match, or start the server with --accept-audio.")
            }
            let query = try await workers.run(for: client) { try QuerySignature(audio: body) }
            return try await match(query, request, client)
        case .put(let id):
            try request.parameters.requireOnly(["replacing"])
            let replacing = request.parameters["replacing"].map { $0 == "true" } ?? true
            return try await change(id) { [catalog] in
                let upload = try UploadedReference(body, id: id)
                return try catalog.put(upload.reference, replacing: replacing)
            }
        case .remove(let id):
            return try await change(id) { [catalog] in
                guard try catalog.remove(id) else {
                    throw CatalogFault(
                        .notFound, "the catalog has no reference of this identifier",
                        remedy: "It is removed already, or has another identifier.")
                }
                return true
            }
        case .facts: return try HTTPAnswer(facts)
        case .item(let shazamID):
            guard let item = try await catalog.item(shazamID: shazamID, hops: hops(of: request)) else {
                throw CatalogFault(
                    .notFound, "the catalog has no item with this Shazam ID",
                    remedy: "Take the ID from a match.")
            }
            return try HTTPAnswer(ItemReply(item))
        case .wrongMethod(let allowed):
            var answer = HTTPAnswer(
                CatalogFault(
                    .methodNotAllowed, "this path has no \(request.method)",
                    remedy: "Its methods are \(allowed)."))
            answer.headers.append(("Allow", allowed))
            return answer
        case .health, .metrics, .page, .pageScript, .contract, .unknown:
            throw CatalogFault(
                .notFound, "there is nothing at this path",
                remedy: "/openapi.yaml of this server names all paths.")
        }
    }

    private func match(
        _ query: QuerySignature, _ request: HTTPRequest, _ client: String
    ) async throws -> HTTPAnswer {
        var options = try MatchOptions(request.parameters)
        options.hops = try hops(of: request)
        let start = ContinuousClock.now
        let reply = try await catalog.match(query.signature, options, for: client, on: workers)
        figures.count(
            isMatched: !reply.references.isEmpty, seconds: (ContinuousClock.now - start) / .seconds(1))
        return try HTTPAnswer(reply)
    }

    /// How many servers have passed a request on.
    private func hops(of request: HTTPRequest) throws(CatalogFault) -> Int {
        guard let text = request.headers.first(name: CatalogClient.hopsHeader) else { return 0 }
        guard let hops = Int(text), hops >= 0 else {
            throw CatalogFault(
                .badRequest, "the header \(CatalogClient.hopsHeader) is \"\(text.prefix(40))\"",
                remedy: "Only servers send it.")
        }
        guard hops <= CatalogLimit.hops.count else {
            throw CatalogFault(
                .partLoop, "the request has passed \(hops) servers",
                remedy: "See which of them are parts of each other.")
        }
        return hops
    }

    private var facts: CatalogFacts {
        var facts = catalog.facts
        facts.acceptsAudio = acceptsAudio
        return facts
    }

    /// Makes a change, which is on the disk when this returns.
    private func change(_ id: String, _ body: @escaping @Sendable () throws -> Bool) async throws
        -> HTTPAnswer
    {
        let wasThere = try await withCheckedThrowingContinuation { continuation in
            writing.async { continuation.resume(with: Result(catching: body)) }
        }
        return try HTTPAnswer(ChangeReply(reference: id, wasThere: wasThere))
    }

    private var gauges: [(name: String, help: String, value: Double)] {
        let facts = catalog.facts
        return [
            ("earshot_references", "References of the catalog.", Double(facts.references)),
            ("earshot_catalog_hours", "Length of all references.", facts.hours),
            ("earshot_catalog_generation", "Number of changes of the catalog.", Double(facts.generation)),
            (
                "earshot_catalog_partial", "1 if a part of the catalog is missing or damaged.",
                facts.isPartial ? 1 : 0
            ),
            ("earshot_connections", "Open connections.", Double(load.connections.taken)),
            ("earshot_requests_in_progress", "Requests without an answer.", Double(load.requests.taken)),
            ("earshot_requests_waiting", "Requests that wait for their turn.", Double(workers.waiting)),
            (
                "earshot_body_bytes", "Bytes of requests without an answer.",
                Double(load.queryBytes.taken + load.uploadBytes.taken)
            ),
            (
                "earshot_answer_bytes", "Bytes of answers that clients have not taken.",
                Double(load.answerBytes.taken)
            ),
        ]
    }

    // MARK: - Who may

    /// The client's address; behind a proxy that the operator trusts, the one that the proxy saw.
    private func address(of request: HTTPRequest) -> String {
        guard trustsProxy, let seen = request.headers["x-forwarded-for"].last?.split(separator: ",").last
        else {
            return request.address
        }
        return HTTPRequest.client(ofAddress: seen.trimmingCharacters(in: .whitespaces))
    }

    private func check(_ right: Right, _ request: HTTPRequest) throws(CatalogFault) {
        guard let tokens else {
            guard right == .match else {
                throw CatalogFault(
                    .rightMissing, "this server takes no changes",
                    remedy: "Start it with --store FOLDER and --tokens FILE.")
            }
            return
        }
        let holder = try tokens.holder(authorization: request.headers.first(name: "authorization"))
        guard holders.allows(holder.name) else { throw .tooMany("token") }
        guard holder.rights.contains(right) else {
            throw CatalogFault(
                .rightMissing, "the token does not have the right \(right.rawValue)",
                remedy: "Ask who runs the server for a token that has it.")
        }
    }
}

/// The answer to `GET /health`.
private struct Health: Encodable {
    /// A part of the store that is not served.
    struct Missing: Encodable {
        let part: String
        /// How many references are lost; nil if that is unknown.
        ///
        /// Their identifiers are for clients with a token.
        let references: Int?
    }

    let status = "ok"
    /// nil if nothing is.
    let missing: [Missing]?

    init(setAside: [StoreFolder.SetAside]) {
        missing =
            setAside.isEmpty ? nil : setAside.map { Missing(part: $0.file, references: $0.lost?.count) }
    }
}

/// What a request is about.
private enum Route {
    case page, pageScript, contract, health, metrics, facts, match, recognise
    case item(String)
    case put(String)
    case remove(String)
    case wrongMethod(allowed: String)
    case unknown

    init(_ request: HTTPRequest) {
        let found: (route: Route, method: HTTPMethod)
        switch request.pathParts {
        case []: found = (.page, .GET)
        case ["page.js"]: found = (.pageScript, .GET)
        case ["openapi.yaml"]: found = (.contract, .GET)
        case ["health"]: found = (.health, .GET)
        case ["metrics"]: found = (.metrics, .GET)
        case ["v1", "catalog"]: found = (.facts, .GET)
        case ["v1", "match"]: found = (.match, .POST)
        case ["v1", "recognise"]: found = (.recognise, .POST)
        case let parts? where parts.count == 3 && parts[0] == "v1" && parts[1] == "items":
            found = (.item(parts[2]), .GET)
        case let parts? where parts.count == 3 && parts[0] == "v1" && parts[1] == "references":
            switch request.method {
            case .PUT: self = .put(parts[2])
            case .DELETE: self = .remove(parts[2])
            default: self = .wrongMethod(allowed: "PUT, DELETE")
            }
            return
        default:
            self = .unknown
            return
        }
        let isHead = request.method == .HEAD && found.method == .GET
        guard !isHead, request.method != found.method else {
            self = found.route
            return
        }
        self = .wrongMethod(allowed: found.method == .GET ? "GET, HEAD" : "\(found.method)")
    }

    /// Whether programs that watch the server ask for it.
    var isProbe: Bool {
        switch self {
        case .health, .metrics: true
        default: false
        }
    }

    /// Whether it needs no token.
    var isForAll: Bool {
        switch self {
        case .page, .pageScript, .contract: true
        default: isProbe
        }
    }

    /// The path without what a client chose, for figures and logs.
    var name: String {
        switch self {
        case .page, .pageScript, .contract: "/"
        case .health: "/health"
        case .metrics: "/metrics"
        case .facts: "/v1/catalog"
        case .match: "/v1/match"
        case .recognise: "/v1/recognise"
        case .item: "/v1/items/{shazamID}"
        case .put, .remove: "/v1/references/{id}"
        case .wrongMethod, .unknown: "other"
        }
    }

    /// What a client needs for it.
    var right: Right {
        switch self {
        case .put, .remove: .write
        default: .match
        }
    }
}

extension CatalogFault {
    fileprivate static func tooMany(_ noun: String) -> CatalogFault {
        CatalogFault(
            .tooManyRequests, "too many requests come from this \(noun)", remedy: "Try again after a second.")
    }

    fileprivate static func of(_ error: FingerprintingError) -> CatalogFault {
        switch error.code {
        case .malformedFile, .unreadableFile:
            CatalogFault(
                .catalogDamaged, "a file of the catalog is damaged",
                remedy: "Try again later; the server's log names the file.")
        default: .failed
        }
    }

    fileprivate static let failed = CatalogFault(
        .internalError, "the server failed at this request",
        remedy: "Try again; the server's log has the reason.")
}

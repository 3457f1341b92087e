import Dispatch
import EarshotKit
import Fingerprinting
import Foundation
import Logging
import NIOHTTP1
import NIOPosix

/// Answers requests: checks what a client may do, asks the catalog, and counts.
final class CatalogService: Sendable {
    /// The holder of a request's token, or what is wrong with the token.
    private typealias Sender = Result<TokenList.Holder, CatalogFault>

    /// More requests at a time are refused.
    private static let mostRequests = 128

    private let catalog: LiveCatalog
    private let tokens: TokenList?
    private let trustsProxy: Bool
    private let acceptsAudio: Bool
    private let addresses: RateLimiter
    private let holders: RateLimiter
    private let figures = ServerFigures()
    private let load: ServerLoad
    private let threads: NIOThreadPool
    /// Changes wait for the disk, and must not keep queries waiting.
    private let writing = DispatchQueue(label: "earshot.service.write")
    private let log: Logger

    init(
        catalog: LiveCatalog, tokens: TokenList?, configuration: ServerConfiguration, load: ServerLoad,
        threads: NIOThreadPool, log: Logger
    ) {
        self.catalog = catalog
        self.tokens = tokens
        trustsProxy = configuration.trustsProxy
        acceptsAudio = configuration.acceptsAudio
        addresses = RateLimiter(rate: configuration.requestsPerSecond)
        holders = RateLimiter(rate: configuration.requestsPerSecond)
        self.load = load
        self.threads = threads
        self.log = log
    }

    /// Finds out what a request is about and who sends it.
    ///
    /// References and audio may be longer than other bodies, from clients who may send them.
    func begin(_ request: HTTPRequest) -> BegunRequest {
        let route = Route(request)
        let sender = tokens.map { tokens in
            Result { () throws(CatalogFault) in
                try tokens.holder(authorization: request.headers.first(name: "authorization"))
            }
        }
        let holder = try? sender?.get()
        let isAllowed = holder?.rights.contains(route.right) ?? (sender == nil)
        let mostBytes =
            switch route {
            case .recognise where acceptsAudio && isAllowed: QuerySignature.audioBytes
            case .put where sender != nil && isAllowed: UploadedReference.bodyBytes
            default: CatalogLimit.bodyBytes
            }
        return BegunRequest(mostBytes: mostBytes) { [self] body in
            await answer(request, body, route, sender)
        }
    }

    /// The answer to a request, whatever it is.
    private func answer(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route, _ sender: Sender?
    ) async -> HTTPAnswer {
        let start = ContinuousClock.now
        let answer = await checkedAnswer(request, body, route, sender)
        figures.count(route: route.name, status: answer.status)
        // Neither bodies nor tokens: a log is no place for what was heard.
        log.log(
            level: answer.status >= 500 ? .error : .info, "request",
            metadata: [
                "method": "\(request.method)", "route": "\(route.name)", "status": "\(answer.status)",
                "milliseconds": "\(Int((ContinuousClock.now - start) / .milliseconds(1)))",
                "bytes": "\(answer.body.count)",
            ])
        return answer
    }

    private func checkedAnswer(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route, _ sender: Sender?
    ) async -> HTTPAnswer {
        do {
            switch route {
            case .health: return HTTPAnswer(type: "application/json", text: "{\"status\":\"ok\"}")
            case .metrics:
                return HTTPAnswer(type: "text/plain; version=0.0.4", text: figures.text(gauges: gauges))
            default: break
            }
            try checkLoad(request)
            switch route {
            case .page: return .page
            case .pageScript: return .pageScript
            default: break
            }
            try check(route.right, of: sender)
            return try await answerCatalog(request, body, route)
        } catch let fault as CatalogFault {
            return HTTPAnswer(fault)
        } catch let error as FingerprintingError {
            log.error("\(error)")
            return HTTPAnswer(.of(error))
        } catch {
            log.error("\(error)")
            return HTTPAnswer(
                CatalogFault(
                    .internalError, "the server failed at this request",
                    remedy: "Try again; the server's log has the reason."))
        }
    }

    private func answerCatalog(
        _ request: HTTPRequest, _ body: [UInt8], _ route: Route
    ) async throws -> HTTPAnswer {
        switch route {
        case .match:
            return try await match(QuerySignature(body), request.parameters)
        case .recognise:
            guard acceptsAudio else {
                throw CatalogFault(
                    .audioRefused, "this server takes no audio",
                    remedy:
                        "Send the audio's signature to /v1/match, or start the server with --accept-audio.")
            }
            let query = try await threads.runIfActive { try QuerySignature(audio: body) }
            return try await match(query, request.parameters)
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
            guard let item = try await catalog.item(shazamID: shazamID) else {
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
        case .health, .metrics, .page, .pageScript, .unknown:
            throw CatalogFault(
                .notFound, "there is nothing at this path",
                remedy: "Paths are in openapi.yaml of the project.")
        }
    }

    private func match(_ query: QuerySignature, _ parameters: [String: String]) async throws -> HTTPAnswer {
        let options = try MatchOptions(parameters)
        let start = ContinuousClock.now
        let reply = try await catalog.match(query.signature, options, on: threads)
        figures.count(
            isMatched: !reply.references.isEmpty, seconds: (ContinuousClock.now - start) / .seconds(1))
        return try HTTPAnswer(reply)
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
            ("earshot_connections", "Open connections.", Double(load.connections)),
            ("earshot_requests_in_progress", "Requests without an answer.", Double(load.requests)),
        ]
    }

    // MARK: - Who may

    private func checkLoad(_ request: HTTPRequest) throws(CatalogFault) {
        guard addresses.allows(address(of: request)) else { throw .tooMany("address") }
        guard load.requests <= Self.mostRequests else {
            throw CatalogFault(
                .overloaded, "the server has \(Self.mostRequests) requests to answer",
                remedy: "Try again after a second.")
        }
    }

    /// The client's address; behind a proxy that the operator trusts, the one that the proxy saw.
    private func address(of request: HTTPRequest) -> String {
        guard trustsProxy, let seen = request.headers["x-forwarded-for"].last?.split(separator: ",").last
        else {
            return request.address
        }
        return HTTPRequest.client(ofAddress: seen.trimmingCharacters(in: .whitespaces))
    }

    private func check(_ right: Right, of sender: Sender?) throws(CatalogFault) {
        guard let sender else {
            guard right == .match else {
                throw CatalogFault(
                    .rightMissing, "this server takes no changes",
                    remedy: "Start it with --store FOLDER and --tokens FILE.")
            }
            return
        }
        let holder = try sender.get()
        guard holders.allows(holder.name) else { throw .tooMany("token") }
        guard holder.rights.contains(right) else {
            throw CatalogFault(
                .rightMissing, "the token does not have the right \(right.rawValue)",
                remedy: "Ask who runs the server for a token that has it.")
        }
    }
}

/// What a request is about.
private enum Route {
    case page, pageScript, health, metrics, facts, match, recognise
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
        self = request.method == found.method ? found.route : .wrongMethod(allowed: "\(found.method)")
    }

    /// The path without what a client chose, for figures and logs.
    var name: String {
        switch self {
        case .page, .pageScript: "/"
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
        default:
            CatalogFault(
                .internalError, "the server failed at this request",
                remedy: "Try again; the server's log has the reason.")
        }
    }
}

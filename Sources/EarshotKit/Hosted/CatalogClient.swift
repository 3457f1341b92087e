import Fingerprinting
import Synchronization

/// Asks a server of catalogs, and waits for its answers.
///
/// A request that fails for a passing reason is repeated once. Redirects are not followed, because they would carry the
/// token elsewhere.
package final class CatalogClient: Sendable {
    /// No answer came.
    package struct Unreachable: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// An answer must be complete after this many seconds.
    private let timeoutSeconds: Double
    private static let longestPauseSeconds = 2.0
    /// Counts the servers that have passed a request on.
    package static let hopsHeader = "Earshot-Hops"
    /// The variable of the environment that allows a token in requests that are not encrypted.
    package static let plainTokenVariable = "EARSHOT_CATALOG_TOKEN_OVER_HTTP"

    /// The address without the token.
    package let address: String
    private let base: URL
    private let token: String?
    private let connections: HTTPConnections

    /// Takes the address of a server, which may have a path.
    /// - Throws: ``Unreachable`` unless it is an address of http or https, or if the token would be sent where others can
    ///   read it.
    package init(
        address: String, token: String?, timeoutSeconds: Double = 10, mostConnections: Int = 64
    ) throws(Unreachable) {
        guard let base = URL(string: address), ["http", "https"].contains(base.scheme?.lowercased()),
            base.host?.isEmpty == false, base.query == nil, base.user == nil
        else {
            throw Unreachable("\"\(address)\" is not the address of a server (http://HOST:PORT)")
        }
        let isPrivate = base.scheme?.lowercased() == "https" || Self.isLoopback(base.host ?? "")
        let environment = ProcessInfo.processInfo.environment
        guard token == nil || isPrivate || environment[Self.plainTokenVariable] == "1" else {
            throw Unreachable(
                "\(address): the token would be sent without encryption. Use https, or set"
                    + " \(Self.plainTokenVariable)=1 on a network that you trust")
        }
        self.address = address
        self.base = base
        self.token = token
        self.timeoutSeconds = timeoutSeconds
        connections = HTTPConnections(
            timeoutSeconds: timeoutSeconds, mostConnections: mostConnections)
    }

    /// Whether a word of a command line is an address and not a file.
    package static func isAddress(_ word: String) -> Bool {
        ["http://", "https://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// Whether a host is this machine by its name or address.
    package static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// The token that the environment names.
    package static var environmentToken: String? {
        ProcessInfo.processInfo.environment[HostedCatalog.tokenVariable]
    }

    package func facts() throws -> CatalogFacts { try ask(Self.facts) }

    /// Matches a query.
    ///
    /// - Parameters:
    ///   - followSeconds: How much of each reference after the match the answer has; nil for nothing.
    ///   - minimumScore: The least score of an answer; nil for accepted matches.
    package func match(
        _ signature: Signature, followSeconds: Double? = nil, minimumScore: Double? = nil
    ) throws -> MatchReply {
        try ask(Self.match(signature, followSeconds, minimumScore, nil))
    }

    /// Adds a reference, or replaces that of its identifier; returns whether there was one.
    package func put(_ reference: Reference, replacing: Bool) throws -> Bool {
        let body = try JSONEncoder().encode(ReferenceUpload(reference))
        let reply: ChangeReply = try ask(
            Question(
                method: "PUT", path: "references/" + Self.escaped(reference.id),
                parameters: [URLQueryItem(name: "replacing", value: "\(replacing)")], body: body,
                type: "application/json", isRepeatable: replacing))
        return reply.wasThere
    }

    package func item(shazamID: String) throws -> SHMediaItem {
        let reply: ItemReply = try ask(Self.item(shazamID))
        return reply.item
    }

    // MARK: - Without waiting, and without repetition

    package func currentFacts() async throws -> CatalogFacts { try await currentAnswer(Self.facts) }

    /// Matches a query with a part of a catalog.
    ///
    /// - Parameters:
    ///   - wholeHours: The size of the catalog, in hours.
    ///   - hops: How many servers have passed the query on, the asking one included.
    package func currentMatch(
        _ signature: Signature, followSeconds: Double, minimumScore: Double, wholeHours: Double, hops: Int
    ) async throws -> MatchReply {
        try await currentAnswer(Self.match(signature, followSeconds, minimumScore, wholeHours), hops: hops)
    }

    /// - Parameter hops: How many servers have passed the request on, the asking one included.
    package func currentItem(shazamID: String, hops: Int) async throws -> SHMediaItem {
        let reply: ItemReply = try await currentAnswer(Self.item(shazamID), hops: hops)
        return reply.item
    }

    // MARK: - Questions

    private struct Question {
        let method: String
        let path: String
        var parameters: [URLQueryItem] = []
        var body: Data?
        var type = "application/octet-stream"
        /// Whether the answer is the same if the question was understood before.
        var isRepeatable = true
    }

    private static let facts = Question(method: "GET", path: "catalog")

    private static func match(
        _ signature: Signature, _ followSeconds: Double?, _ minimumScore: Double?, _ wholeHours: Double?
    ) -> Question {
        let parameters = [
            ("followSeconds", followSeconds), ("minimumScore", minimumScore), ("wholeHours", wholeHours),
        ].compactMap { name, value in value.map { URLQueryItem(name: name, value: "\($0)") } }
        return Question(
            method: "POST", path: "match", parameters: parameters, body: Data(signature.encoded()))
    }

    private static func item(_ shazamID: String) -> Question {
        Question(method: "GET", path: "items/" + escaped(shazamID))
    }

    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "-._~").union(.init(charactersIn: "0"..."9"))
            .union(.init(charactersIn: "a"..."z")).union(.init(charactersIn: "A"..."Z"))
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private func ask<Reply: Decodable>(_ question: Question) throws -> Reply {
        try reply(response(to: request(question), isRepeatable: question.isRepeatable))
    }

    private func currentAnswer<Reply: Decodable>(_ question: Question, hops: Int = 1) async throws -> Reply {
        var request = try request(question)
        request.headers[Self.hopsHeader] = "\(hops)"
        let asked = request
        let outcome = await withCheckedContinuation { continuation in
            connections.start(asked) { continuation.resume(returning: $0) }
        }
        return try reply(response(outcome))
    }

    private func reply<Reply: Decodable>(_ response: HTTPConnections.Response) throws -> Reply {
        let decoder = JSONDecoder()
        guard response.status == 200 else {
            if let fault = try? decoder.decode(CatalogFault.Body.self, from: response.body) {
                throw fault.error
            }
            throw Unreachable("\(address) answers with status \(response.status), and is no catalog")
        }
        do { return try decoder.decode(Reply.self, from: response.body) } catch {
            throw Unreachable("\(address) answers what no catalog does: \(error)")
        }
    }

    private func request(_ question: Question) throws(Unreachable) -> HTTPConnections.Request {
        var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
        let prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        components?.percentEncodedPath = prefix + "/v1/" + question.path
        if !question.parameters.isEmpty { components?.queryItems = question.parameters }
        guard let url = components?.url else {
            throw Unreachable("\"\(address)\" cannot be followed by a path")
        }
        var request = HTTPConnections.Request(method: question.method, url: url, body: question.body)
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        if question.body != nil { request.headers["Content-Type"] = question.type }
        return request
    }

    /// The answer to a request, or to its repetition.
    private func response(
        to request: HTTPConnections.Request, isRepeatable: Bool
    ) throws -> HTTPConnections.Response {
        guard isRepeatable else { return try transfer(request) }
        let first = Result { try transfer(request) }
        var pause = 0.2
        switch first {
        case .success(let response):
            guard [408, 429, 500, 502, 503, 504].contains(response.status) else { return response }
            pause = response.retryAfterSeconds ?? pause
        case .failure: break
        }
        Thread.sleep(forTimeInterval: min(max(0, pause), Self.longestPauseSeconds))
        return try transfer(request)
    }

    private func transfer(
        _ request: HTTPConnections.Request
    ) throws(Unreachable) -> HTTPConnections.Response {
        let done = DispatchSemaphore(value: 0)
        let box = OutcomeBox()
        connections.start(request) { result in
            box.outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        return try response(box.outcome.withLock { $0 ?? .failure(URLError(.unknown)) })
    }

    private func response(_ outcome: HTTPConnections.Outcome) throws(Unreachable) -> HTTPConnections.Response
    {
        switch outcome {
        case .success(let response): return response
        case .failure(let error as URLError) where error.code == .timedOut:
            throw Unreachable("\(address) has not answered for \(timeoutSeconds) s")
        case .failure(let error):
            throw Unreachable("\(address) cannot be reached: \((error as NSError).localizedDescription)")
        }
    }
}

private final class OutcomeBox: Sendable {
    let outcome = Mutex<HTTPConnections.Outcome?>(nil)
}

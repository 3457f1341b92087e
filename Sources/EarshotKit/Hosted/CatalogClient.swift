import Fingerprinting
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks a server of catalogs, and waits for its answers.
///
/// A request that fails for a passing reason is repeated once. Redirects are not followed, because they would carry the
/// token elsewhere.
package final class CatalogClient: Sendable {
    /// No answer came.
    package struct Unreachable: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Response {
        let status: Int
        let retryAfterSeconds: Double?
        let body: Data
    }

    /// An answer must be complete after this many seconds.
    private static let timeoutSeconds = 10.0
    private static let longestPauseSeconds = 2.0
    /// Answers have at most this many bytes.
    fileprivate static let mostBytes = 1 << 23

    /// The address without the token.
    package let address: String
    private let base: URL
    private let token: String?
    private let transfers = Transfers()
    private let session: URLSession

    /// Takes the address of a server, which may have a path.
    /// - Throws: ``Unreachable`` unless it is an address of http or https.
    package init(address: String, token: String?) throws(Unreachable) {
        guard let base = URL(string: address), ["http", "https"].contains(base.scheme?.lowercased()),
            base.host?.isEmpty == false, base.query == nil, base.user == nil
        else {
            throw Unreachable(description: "\"\(address)\" is not the address of a server (http://HOST:PORT)")
        }
        self.address = address
        self.base = base
        self.token = token
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.timeoutSeconds
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Whether a word of a command line is an address and not a file.
    package static func isAddress(_ word: String) -> Bool {
        ["http://", "https://"].contains { word.lowercased().hasPrefix($0) }
    }

    /// The token that the environment names.
    package static var environmentToken: String? {
        ProcessInfo.processInfo.environment[HostedCatalog.tokenVariable]
    }

    package func facts() throws -> CatalogFacts { try ask("GET", "catalog") }

    /// Matches a query.
    ///
    /// - Parameters:
    ///   - followSeconds: How much of each reference after the match the answer has; nil for nothing.
    ///   - minimumScore: The least score of an answer; nil for accepted matches.
    ///   - wholeHours: The size of the catalog that the server has a part of, in hours.
    package func match(
        _ signature: Signature, followSeconds: Double? = nil, minimumScore: Double? = nil,
        wholeHours: Double? = nil
    ) throws -> MatchReply {
        let parameters = [
            ("followSeconds", followSeconds), ("minimumScore", minimumScore), ("wholeHours", wholeHours),
        ].compactMap { name, value in value.map { URLQueryItem(name: name, value: "\($0)") } }
        return try ask("POST", "match", parameters, body: Data(signature.encoded()))
    }

    /// Adds a reference, or replaces that of its identifier; returns whether there was one.
    package func put(_ reference: Reference, replacing: Bool) throws -> Bool {
        let reply: ChangeReply = try ask(
            "PUT", "references/" + Self.escaped(reference.id),
            [URLQueryItem(name: "replacing", value: "\(replacing)")],
            body: JSONEncoder().encode(ReferenceUpload(reference)), type: "application/json")
        return reply.wasThere
    }

    /// Removes a reference.
    package func remove(_ id: String) throws {
        let _: ChangeReply = try ask("DELETE", "references/" + Self.escaped(id))
    }

    package func item(shazamID: String) throws -> SHMediaItem {
        let reply: ItemReply = try ask("GET", "items/" + Self.escaped(shazamID))
        return reply.item
    }

    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "-._~").union(.init(charactersIn: "0"..."9"))
            .union(.init(charactersIn: "a"..."z")).union(.init(charactersIn: "A"..."Z"))
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private func ask<Reply: Decodable>(
        _ method: String, _ path: String, _ parameters: [URLQueryItem] = [], body: Data? = nil,
        type: String = "application/octet-stream"
    ) throws -> Reply {
        let request = try request(method, path, parameters, body, type)
        let response = try response(to: request)
        let decoder = JSONDecoder()
        guard response.status == 200 else {
            if let fault = try? decoder.decode(CatalogFault.Body.self, from: response.body) {
                throw fault.error
            }
            throw Unreachable(
                description: "\(address) answers with status \(response.status), and is no catalog")
        }
        do { return try decoder.decode(Reply.self, from: response.body) } catch {
            throw Unreachable(description: "\(address) answers what no catalog does: \(error)")
        }
    }

    private func request(
        _ method: String, _ path: String, _ parameters: [URLQueryItem], _ body: Data?,
        _ type: String
    ) throws(Unreachable) -> URLRequest {
        var components = URLComponents(url: base, resolvingAgainstBaseURL: false)
        let prefix = base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        components?.percentEncodedPath = prefix + "/v1/" + path
        if !parameters.isEmpty { components?.queryItems = parameters }
        guard let url = components?.url else {
            throw Unreachable(description: "\"\(address)\" cannot be followed by a path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = Self.timeoutSeconds
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let body {
            request.httpBody = body
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    /// The answer to a request, or to its repetition.
    private func response(to request: URLRequest) throws -> Response {
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

    private func transfer(_ request: URLRequest) throws(Unreachable) -> Response {
        let task = session.dataTask(with: request)
        let done = DispatchSemaphore(value: 0)
        let box = OutcomeBox()
        transfers.add(task.taskIdentifier) { result in
            box.outcome.withLock { $0 = result }
            done.signal()
        }
        task.resume()
        guard done.wait(timeout: .now() + Self.timeoutSeconds) == .success else {
            transfers.remove(task.taskIdentifier)
            task.cancel()
            throw Unreachable(description: "\(address) has not answered for \(Int(Self.timeoutSeconds)) s")
        }
        switch box.outcome.withLock({ $0 }) {
        case .success(let (body, response)):
            let pause = response.value(forHTTPHeaderField: "Retry-After").flatMap { Double($0) }
            return Response(status: response.statusCode, retryAfterSeconds: pause, body: body)
        case .failure(let error):
            throw Unreachable(
                description: "\(address) cannot be reached: \((error as NSError).localizedDescription)")
        case nil: throw Unreachable(description: "\(address) cannot be reached")
        }
    }
}

private final class OutcomeBox: Sendable {
    let outcome = Mutex<Result<(Data, HTTPURLResponse), any Error>?>(nil)
}

/// Collects the answers to requests.
private final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
    typealias Done = @Sendable (Result<(Data, HTTPURLResponse), any Error>) -> Void

    private struct Transfer {
        let done: Done
        var data = Data()
    }

    private let running = Mutex<[Int: Transfer]>([:])

    func add(_ id: Int, _ done: @escaping Done) { running.withLock { $0[id] = Transfer(done: done) } }

    func remove(_ id: Int) { running.withLock { $0[id] = nil } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = running.withLock { running in
            running[dataTask.taskIdentifier]?.data.append(data)
            return (running[dataTask.taskIdentifier]?.data.count ?? 0) > CatalogClient.mostBytes
        }
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let response = task.response as? HTTPURLResponse, error == nil {
            transfer.done(.success((transfer.data, response)))
        } else {
            transfer.done(.failure(error ?? URLError(.badServerResponse)))
        }
    }
}

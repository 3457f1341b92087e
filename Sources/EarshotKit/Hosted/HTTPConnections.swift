import Synchronization

#if Online && canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over HTTP.
///
/// Redirects are not followed.
final class HTTPConnections: Sendable {
    struct Request: Sendable {
        let method: String
        let url: URL
        let body: Data?
        var headers: [String: String] = [:]
    }

    struct Response: Sendable {
        let status: Int
        let retryAfterSeconds: Double?
        let body: Data
    }

    typealias Outcome = Result<Response, any Error>
    typealias Done = @Sendable (Outcome) -> Void

    #if Online
        /// An answer must be complete after this many seconds.
        private let timeoutSeconds: Double
        /// Answers have at most this many bytes.
        fileprivate static let mostBytes = 1 << 23
        private let transfers = Transfers()
        private let session: URLSession

        init(timeoutSeconds: Double, mostConnections: Int) {
            self.timeoutSeconds = timeoutSeconds
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = timeoutSeconds
            configuration.httpMaximumConnectionsPerHost = mostConnections
            configuration.httpCookieStorage = nil
            configuration.urlCache = nil
            session = URLSession(configuration: configuration, delegate: transfers, delegateQueue: nil)
        }

        deinit { session.finishTasksAndInvalidate() }

        /// Sends a request; `done` is called once, at the latest when the time is over.
        func start(_ request: Request, _ done: @escaping Done) {
            var sent = URLRequest(url: request.url)
            sent.httpMethod = request.method
            sent.timeoutInterval = timeoutSeconds
            sent.httpBody = request.body
            for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
            let task = session.dataTask(with: sent)
            let id = task.taskIdentifier
            transfers.add(id, done)
            task.resume()
            Self.timers.asyncAfter(deadline: .now() + timeoutSeconds) { [transfers, weak task] in
                guard transfers.end(id, .failure(URLError(.timedOut))) else { return }
                task?.cancel()
            }
        }

        /// A queue of its own, so that the time is over even if all other threads wait for answers.
        private static let timers = DispatchQueue(label: "earshot.client.timers", qos: .userInitiated)
    #else
        init(timeoutSeconds: Double, mostConnections: Int) {}

        /// Fails: the package was built without the network, whose libraries are many.
        func start(_ request: Request, _ done: @escaping Done) {
            let reason =
                "this program was built without the network; name the trait \"Online\" of earshot in its"
                + " Package.swift"
            done(.failure(SHError(.matchAttemptFailed, message: reason)))
        }
    #endif
}

#if Online
    /// Collects the answers to requests.
    private final class Transfers: NSObject, URLSessionDataDelegate, Sendable {
        private struct Transfer {
            let done: HTTPConnections.Done
            var data = Data()
        }

        private let running = Mutex<[Int: Transfer]>([:])

        func add(_ id: Int, _ done: @escaping HTTPConnections.Done) {
            running.withLock { $0[id] = Transfer(done: done) }
        }

        /// Reports the end of a transfer, if it has not ended.
        @discardableResult
        func end(_ id: Int, _ outcome: HTTPConnections.Outcome) -> Bool {
            guard let transfer = running.withLock({ $0.removeValue(forKey: id) }) else { return false }
            transfer.done(outcome)
            return true
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let isTooLong = running.withLock { running in
                running[dataTask.taskIdentifier]?.data.append(data)
                return (running[dataTask.taskIdentifier]?.data.count ?? 0) > HTTPConnections.mostBytes
            }
            if isTooLong { dataTask.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            let data = running.withLock { $0[task.taskIdentifier]?.data } ?? Data()
            if let response = task.response as? HTTPURLResponse, error == nil {
                let pause = response.value(forHTTPHeaderField: "Retry-After").flatMap { Double($0) }
                end(
                    task.taskIdentifier,
                    .success(
                        HTTPConnections.Response(
                            status: response.statusCode, retryAfterSeconds: pause, body: data)))
            } else {
                end(task.taskIdentifier, .failure(error ?? URLError(.badServerResponse)))
            }
        }
    }
#endif

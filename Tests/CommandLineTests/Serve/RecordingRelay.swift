import Foundation
import Synchronization

/// Stands between a client and a server: records whole requests, and answers some of them wrongly.
final class RecordingRelay: Sendable {
    struct Request: Sendable {
        let method: String
        let path: String
        let headers: [String]
        let body: [UInt8]
    }

    /// What happens to a request.
    enum Treatment: Sendable {
        case forward
        case answer(status: Int, body: String)
        case closeConnection
        /// Forwards, and changes the body of an answer to a query.
        case change(@Sendable ([UInt8]) -> [UInt8])
    }

    let port: UInt16
    private let listener: Int32
    private let recorded = Mutex<[Request]>([])

    /// Forwards to a server, but treats the first requests in other ways.
    init(to server: UInt16, treatments: [Treatment] = [], then last: Treatment = .forward) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    ? getsockname(listener, address, &length) : -1
            }
        }
        guard code == 0 else { throw RawConnection.Failure(code: errno) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else {
                    close(client)
                    return
                }
                let number = recorded.withLock { $0.count }
                serve(client, to: server, number < treatments.count ? treatments[number] : last)
                close(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { recorded.withLock { $0 } }

    private func serve(_ client: Int32, to server: UInt16, _ treatment: Treatment) {
        guard let request = read(from: client) else { return }
        recorded.withLock { $0.append(request) }
        switch treatment {
        case .closeConnection: return
        case .answer(let status, let body): write(Self.answer(status, Array(body.utf8)), to: client)
        case .forward:
            if let answer = forward(request, to: server) { write(answer, to: client) }
        case .change(let change):
            guard let answer = forward(request, to: server) else { return }
            guard request.method == "POST", let parts = RawConnection.answer(answer) else {
                return write(answer, to: client)
            }
            write(Self.answer(parts.status, change(parts.body)), to: client)
        }
    }

    private func forward(_ request: Request, to server: UInt16) -> [UInt8]? {
        let kept = request.headers.filter { $0.lowercased().hasPrefix("authorization:") }
        return
            (try? RawConnection.exchange(
                server, request.method, request.path, headers: kept, body: request.body)) ?? nil
    }

    private static func answer(_ status: Int, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8)
            + body
    }

    private func write(_ bytes: [UInt8], to client: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(
                    client, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    private func read(from client: Int32) -> Request? {
        var all: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        let separator = Array("\r\n\r\n".utf8)
        while true {
            if let end = all.indices.first(where: { all[$0...].starts(with: separator) }) {
                let lines = String(decoding: all[..<end], as: UTF8.self).components(separatedBy: "\r\n")
                let words = lines[0].split(separator: " ").map(String.init)
                let length =
                    lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                let body = all[(end + 4)...]
                if words.count > 1, body.count >= length {
                    return Request(
                        method: words[0], path: words[1], headers: Array(lines.dropFirst()), body: Array(body)
                    )
                }
            }
            let count = recv(client, &block, block.count, 0)
            guard count > 0 else { return nil }
            all += block[..<count]
        }
    }
}

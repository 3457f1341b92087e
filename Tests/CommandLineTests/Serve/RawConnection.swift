import Foundation

/// A connection of TCP that sends any bytes.
final class RawConnection {
    struct Failure: Error {
        let code: Int32
    }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        /// The code of the error in the body; nil if it has none.
        var faultCode: String? {
            struct Body: Decodable {
                struct Fault: Decodable { let code, message, remedy: String }
                let error: Fault
            }
            return (try? JSONDecoder().decode(Body.self, from: Data(body)))?.error.code
        }
    }

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    /// Sends bytes; false if the other side has closed the connection.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Everything until the other side closes the connection; nil if it does not for a minute.
    func readToEnd() -> [UInt8]? {
        var all: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &block, block.count, 0)
            guard count >= 0 else { return errno == ECONNRESET ? all : nil }
            guard count > 0 else { return all }
            all += block[..<count]
        }
    }

    /// Whether an answer or the end comes in time.
    func isReadable(milliseconds: Int32 = 60_000) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, milliseconds) == 1
    }

    /// Sends a request and reads the answer, after which the server closes the connection.
    static func ask(
        _ port: UInt16, _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = []
    ) throws -> Answer? {
        try exchange(port, method, path, headers: headers, body: body).flatMap(answer)
    }

    /// Sends a request and returns all bytes of the answer.
    static func exchange(
        _ port: UInt16, _ method: String, _ path: String, headers: [String] = [], body: [UInt8] = []
    ) throws -> [UInt8]? {
        let connection = try RawConnection(port: port)
        let lines =
            ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
            + (body.isEmpty ? [] : ["Content-Length: \(body.count)"]) + headers + ["", ""]
        connection.send(Array(lines.joined(separator: "\r\n").utf8) + body)
        return connection.readToEnd()
    }

    /// The last answer of those in bytes; nil if they are no answer.
    static func answer(_ bytes: [UInt8]) -> Answer? {
        let separator = Array("\r\n\r\n".utf8)
        guard
            let end = bytes.indices.first(where: { bytes[$0...].starts(with: separator) })
        else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            return nil
        }
        let headers = lines.dropFirst().map { line in
            let sides = line.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return (sides[0].lowercased(), sides.count > 1 ? sides[1] : "")
        }
        return Answer(
            status: status, headers: Dictionary(headers, uniquingKeysWith: { $1 }),
            body: Array(bytes[(end + separator.count)...]))
    }
}

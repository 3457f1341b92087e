import CPages
import EarshotKit
import NIOHTTP1

/// The head of a request.
struct HTTPRequest: Sendable {
    let method: HTTPMethod
    /// Without the query, still encoded.
    let path: String
    let parameters: [String: String]
    let headers: HTTPHeaders
    let isBeforeHTTP11: Bool
    /// The client's network address, without the port; see ``client(ofAddress:)``.
    let address: String

    init(_ head: HTTPRequestHead, address: String) {
        method = head.method
        headers = head.headers
        isBeforeHTTP11 = (head.version.major, head.version.minor) < (1, 1)
        self.address = address
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        let query = parts.count > 1 ? parts[1] : ""
        let pairs = query.split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = sides.map { String($0).removingPercentEncoding ?? String($0) }
            return (decoded[0], decoded.count > 1 ? decoded[1] : "")
        }
        parameters = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The client that limits apply to: an IPv4 address, or the /64 network of an IPv6 address.
    ///
    /// One client has all addresses of such a network.
    static func client(ofAddress text: String) -> String {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return text }
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        guard bytes.prefix(12) != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] else {
            return bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// The path's parts, decoded; nil if one is not UTF-8.
    var pathParts: [String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
            .map { String($0).removingPercentEncoding }
        return parts.contains(nil) ? nil : parts.compactMap(\.self)
    }
}

/// A whole answer.
struct HTTPAnswer: Sendable {
    var status: Int
    var type = "application/json"
    var headers: [(String, String)] = []
    var body: [UInt8]
    /// Of what the bytes of the body count until the client has taken them; nil for short ones.
    var bytes: ClientBudget.Share?

    init(status: Int = 200, type: String, text: String) {
        self.status = status
        self.type = type
        body = Array(text.utf8)
    }

    /// The page for browsers, which runs no script but the server's.
    static var page: HTTPAnswer {
        var answer = HTTPAnswer(type: "text/html; charset=utf-8", text: String(cString: server_page_html()))
        answer.headers = [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; "
                    + "img-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            )
        ]
        return answer
    }

    static var pageScript: HTTPAnswer {
        HTTPAnswer(type: "text/javascript; charset=utf-8", text: String(cString: server_page_js()))
    }

    static var contract: HTTPAnswer {
        HTTPAnswer(type: "application/yaml; charset=utf-8", text: String(cString: server_openapi_yaml()))
    }

    init(_ value: some Encodable) throws {
        status = 200
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        body = [UInt8](try encoder.encode(value))
    }

    init(_ fault: CatalogFault) {
        // Strings always have a form.
        body = (try? HTTPAnswer(CatalogFault.Body(error: fault)).body) ?? []
        status = fault.status
        switch fault.status {
        case 401: headers.append(("WWW-Authenticate", "Bearer"))
        case 429, 503: headers.append(("Retry-After", "1"))
        default: break
        }
    }
}

import EarshotKit
import Foundation
import NIOHTTP1

/// The names by which clients may call the server.
///
/// A web page can make its own name lead to this machine, and then read answers as if they were its own (DNS rebinding).
/// So a server that only this machine reaches answers to names of this machine. An address is no name of anyone.
struct AllowedHosts: Sendable {
    /// nil for any name.
    private let names: Set<String>?

    /// - Parameters:
    ///   - bound: The host at which the server listens.
    ///   - names: Further names; if there are some, only they are allowed, wherever the server listens.
    ///   - trustsProxy: Whether clients come through a proxy, which decides about names.
    init(bound: String, names: [String], trustsProxy: Bool) {
        let isChecked = !names.isEmpty || (!trustsProxy && CatalogClient.isLoopback(bound))
        self.names = isChecked ? Set((names + [bound]).map { $0.lowercased() }) : nil
    }

    /// Throws unless a request names one host, and one that is allowed.
    func check(_ head: HTTPRequest) throws(CatalogFault) {
        let hosts = head.headers["host"]
        guard hosts.count == 1 || (hosts.isEmpty && head.isBeforeHTTP11) else {
            throw CatalogFault(
                .badRequest, "the request has \(hosts.count) headers Host", remedy: "Send one.")
        }
        guard let names, let host = hosts.first.map(Self.name) else { return }
        guard names.contains(host) || CatalogClient.isLoopback(host) || Self.isAddress(host) else {
            throw CatalogFault(
                .hostUnknown, "the server does not answer to the name \"\(host.prefix(100))\"",
                remedy: "Start it with --host NAME for each of its names.")
        }
    }

    /// The name in a header, without the port.
    private static func name(_ header: String) -> String {
        let header = header.trimmingCharacters(in: .whitespaces).lowercased()
        if header.hasPrefix("["), let end = header.firstIndex(of: "]") {
            return String(header[header.index(after: header.startIndex)..<end])
        }
        let name = header.prefix { $0 != ":" }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }

    private static func isAddress(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }
}

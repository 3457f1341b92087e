import AudioIO
import EarshotKit
import Foundation
import KitTestSupport
import TestSupport
import Testing
import Yams

/// `openapi.yaml` says what the server does.
@Suite struct ContractTests {
    private let contract: Node
    private let songs: ServedSongs
    private let server: ServerProcess

    init() throws {
        let path = PackageFolder.path + "/Sources/CatalogServer/CatalogServer.docc/openapi.yaml"
        contract = try #require(try Yams.compose(yaml: String(contentsOfFile: path, encoding: .utf8)))
        songs = try ServedSongs()
        server = try ServerProcess(["--catalog", songs.path, "--requests-per-second", "0"])
    }

    private func resolved(_ node: Node) throws -> Node {
        guard let reference = node["$ref"]?.string else { return node }
        return try reference.split(separator: "/").dropFirst().reduce(contract) { node, key in
            try #require(node[String(key)], "\(reference)")
        }
    }

    private func schema(_ path: String, _ method: String, _ status: Int) throws -> Node {
        let responses = try #require(contract["paths"]?[path]?[method]?["responses"])
        // A key in quotes is not equal to a plain one.
        let documented = responses.mapping?.first { $0.key.string == "\(status)" }?.value
        let response = try resolved(try #require(documented, "\(method) \(path): \(status)"))
        return try resolved(try #require(response["content"]?["application/json"]?["schema"]))
    }

    /// What of a value a schema does not allow.
    private func differences(_ value: Any, _ schema: Node, _ place: String) throws -> [String] {
        let schema = try resolved(schema)
        if let allowed = schema["enum"]?.array() {
            let text = value as? String ?? ""
            return allowed.contains { $0.string == text } ? [] : ["\(place): \(text)"]
        }
        switch schema["type"]?.string {
        case "object":
            guard let object = value as? [String: Any] else { return ["\(place): no object"] }
            let required = schema["required"]?.array().compactMap(\.string) ?? []
            var found = required.filter { object[$0] == nil }.map { "\(place): no \($0)" }
            for (key, value) in object {
                if let property = schema["properties"]?[key] {
                    found += try differences(value, property, place + "." + key)
                } else if schema["additionalProperties"]?.bool == false {
                    found.append("\(place): \(key)")
                }
            }
            return found
        case "array":
            guard let list = value as? [Any], let items = schema["items"] else {
                return ["\(place): no array"]
            }
            return try list.flatMap { try differences($0, items, place + "[]") }
        case "string": return value is String ? [] : ["\(place): no text"]
        case "boolean": return value is Bool ? [] : ["\(place): no boolean"]
        case "integer":
            let number = value as? Double
            return number.map { $0.rounded() == $0 } == true ? [] : ["\(place): no integer"]
        case "number": return value is Double ? [] : ["\(place): no number"]
        default: return ["\(place): no type"]
        }
    }

    private func check(
        _ method: String, _ path: String, as documented: String? = nil, at port: UInt16? = nil,
        body: [UInt8] = [], status: Int
    ) throws {
        let answer = try #require(try RawConnection.ask(port ?? server.port, method, path, body: body))
        #expect(answer.status == status, "\(method) \(path)")
        let value = try JSONSerialization.jsonObject(with: Data(answer.body))
        let schema = try schema(documented ?? path, method.lowercased(), status)
        #expect(try differences(value, schema, "\(method) \(path)") == [])
    }

    @Test func answersHaveTheFormsOfTheContract() throws {
        let query = try ServedSongs.query(0)
        try check(
            "POST", "/v1/match?followSeconds=20&minimumScore=-100", as: "/v1/match", body: query, status: 200)
        try check("POST", "/v1/match", body: query, status: 200)
        try check("POST", "/v1/match", body: [1], status: 400)
        try check("POST", "/v1/match", body: [UInt8](repeating: 0, count: 70_000), status: 413)
        try check("GET", "/v1/catalog", status: 200)
        try check("GET", "/health", status: 200)
        try check("GET", "/v1/items/none", as: "/v1/items/{shazamID}", status: 404)
        try check("PUT", "/v1/references/a", as: "/v1/references/{id}", body: query, status: 403)
        try check("DELETE", "/v1/references/a", as: "/v1/references/{id}", status: 403)
        try check("POST", "/v1/recognise", body: [1], status: 403)
        let listening = try ServerProcess(["--catalog", songs.path, "--accept-audio"])
        let wav = try AudioFile.encode(
            SongBook.songs[0].render(from: 7, seconds: 5), as: #require(AudioEncoding("wav-pcm16")))
        try check(
            "POST", "/v1/recognise?followSeconds=20", as: "/v1/recognise", at: listening.port, body: wav,
            status: 200)
        try check("POST", "/v1/recognise", at: listening.port, body: [1], status: 400)
        let answer = try #require(try RawConnection.ask(server.port, "POST", "/v1/match", body: query))
        struct Reply: Decodable {
            struct Reference: Decodable {
                struct Item: Decodable {
                    struct Properties: Decodable { let shazamID: String }
                    let properties: Properties
                }
                let items: [Item]
            }
            let references: [Reference]
        }
        let reply = try JSONDecoder().decode(Reply.self, from: Data(answer.body))
        let id = try #require(reply.references.first?.items.first?.properties.shazamID)
        try check("GET", "/v1/items/\(id)", as: "/v1/items/{shazamID}", status: 200)
    }

    @Test func pathsMethodsAndCodesAreAllOfThem() throws {
        let codes = contract["components"]?["schemas"]?["Fault"]?["properties"]?["error"]?["properties"]?[
            "code"]?["enum"]
        #expect(codes?.array().compactMap(\.string) == CatalogFault.Code.allCases.map(\.rawValue))
        let methods = ["get", "put", "post", "delete", "patch"]
        let paths = try #require(contract["paths"]?.mapping)
        for (path, operations) in paths {
            let name = try #require(path.string)
            let real = name.replacingOccurrences(of: "{id}", with: "a").replacingOccurrences(
                of: "{shazamID}", with: "a")
            for method in methods {
                let answer = try #require(try RawConnection.ask(server.port, method.uppercased(), real))
                let isThere = answer.faultCode != "methodNotAllowed"
                #expect(isThere == (operations[method] != nil), "\(method) \(name)")
                if isThere, let responses = operations[method]?["responses"]?.mapping {
                    #expect(
                        responses.keys.contains { $0.string == "\(answer.status)" },
                        "\(method) \(name): \(answer.status)")
                }
            }
        }
        let article = try String(
            contentsOfFile: PackageFolder.path + "/Sources/CatalogServer/CatalogServer.docc/CatalogServer.md",
            encoding: .utf8)
        for code in CatalogFault.Code.allCases { #expect(article.contains("`\(code.rawValue)`"), "\(code)") }
    }

    /// Code, article, help and figures have the same limits.
    ///
    /// `EARSHOT_RECORD=1` writes the article's table. The test then fails, so that no one records by accident.
    @Test func limitsAreStatedAlike() throws {
        let path = PackageFolder.path + "/Sources/CatalogServer/CatalogServer.docc/CatalogServer.md"
        let article = try String(contentsOfFile: path, encoding: .utf8)
        let options = [
            CatalogLimit.requestsPerSecond, CatalogLimit.connectionsOfAddress, CatalogLimit.patienceSeconds,
        ]
        let table = (CatalogLimit.fixed + options).map { "| \($0.meaning) | \($0.text) | `\($0.name)` |" }
            .joined(separator: "\n")
        let start = try #require(article.range(of: "| what | at most | in `/metrics` |\n|---|--:|---|\n"))
            .upperBound
        let end = try #require(article.range(of: "\n\n", range: start..<article.endIndex)).lowerBound
        if article[start..<end] != table {
            if ProcessInfo.processInfo.environment["EARSHOT_RECORD"] != nil {
                try article.replacingCharacters(in: start..<end, with: table)
                    .write(toFile: path, atomically: true, encoding: .utf8)
            }
            Issue.record("the table differs; set EARSHOT_RECORD=1 to write it, look at it and run again")
        }
        let help = try EarshotProcess("serve", "--help").output
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for limit in CatalogLimit.fixed {
            #expect(words.contains("\(limit.text) \(limit.meaning)"), "\(limit)")
        }
        let server = try ServerProcess(
            ["--catalog", songs.path, "--requests-per-second", "7", "--connections-per-address", "9"])
        let figures = try #require(try RawConnection.ask(server.port, "GET", "/metrics"))
        let lines = String(decoding: figures.body, as: UTF8.self).split(separator: "\n")
        for limit in CatalogLimit.fixed + [CatalogLimit.patienceSeconds] {
            #expect(lines.contains("earshot_limit{name=\"\(limit.name)\"} \(limit.value)"), "\(limit)")
        }
        #expect(lines.contains("earshot_limit{name=\"requests_per_second\"} 7.0"))
        #expect(lines.contains("earshot_limit{name=\"connections_per_address\"} 9.0"))
    }

    @Test func parametersOfTheContractAreTaken() throws {
        let query = try ServedSongs.query(0)
        let parameters = try #require(contract["paths"]?["/v1/match"]?["post"]?["parameters"]?.array())
        for parameter in try parameters.map(resolved) {
            let name = try #require(parameter["name"]?.string)
            let least = try #require(parameter["schema"]?["minimum"]?.float)
            let most = try #require(parameter["schema"]?["maximum"]?.float)
            for (value, status) in [(least, 200), (most, 200), (least - 1, 400), (most * 1.01 + 1, 400)] {
                let answer = try RawConnection.ask(
                    server.port, "POST", "/v1/match?\(name)=\(value)", body: query)
                #expect(answer?.status == status, "\(name)=\(value)")
            }
        }
    }
}

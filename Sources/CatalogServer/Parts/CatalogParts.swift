import EarshotKit
import Fingerprinting
import Logging
import Synchronization
import SystemIO

/// A server that has a part of the catalog.
final class CatalogPart: Sendable {
    private struct State {
        var facts: CatalogFacts?
        /// The servers that it asks, itself included.
        var servers: [String] = []
        /// Whether it answered when it was asked last.
        var isUp = false
        /// Why it did not.
        var problem: String?
    }

    /// A part that takes longer counts as missing, so that an answer comes soon.
    private static let timeoutSeconds = 1.0
    /// Candidates with less play no role in the comparison with others.
    private static let leastScore = -20.0

    let client: CatalogClient
    private let log: Logger
    private let state = Mutex(State())

    init(address: String, mostConnections: Int, log: Logger) throws {
        client = try CatalogClient(
            address: address, token: CatalogClient.environmentToken, timeoutSeconds: Self.timeoutSeconds,
            mostConnections: mostConnections)
        self.log = log
    }

    /// What it said of its catalog last; nil if it never did, or is no part.
    var facts: CatalogFacts? { state.withLock { $0.facts } }
    var servers: [String] { state.withLock { $0.servers } }
    var isUp: Bool { state.withLock { $0.isUp } }

    /// Asks whether it is there.
    ///
    /// - Parameter own: The name of this server, which is no part of a part of its own.
    func refresh(own: String) async {
        do {
            let facts = try await client.currentFacts()
            guard facts.analysisIdentity == CatalogFacts.text(ofIdentity: Settings().analysis.identity) else {
                return note(
                    nil, "it has engine \(facts.engineVersion), this server \(Settings.engineVersion)")
            }
            state.withLock { $0.servers = facts.servers }
            guard !facts.servers.contains(own) else {
                // Its references and hours are those of this server too.
                state.withLock { $0.facts = nil }
                return note(nil, "it asks this server in turn, so no query would end")
            }
            note(facts, nil)
        } catch {
            note(nil, "\(error)")
        }
    }

    private func note(_ facts: CatalogFacts?, _ problem: String?) {
        let old = state.withLock { state in
            defer {
                state.isUp = facts != nil
                state.facts = facts ?? state.facts
                state.problem = problem
            }
            return state
        }
        if let problem, problem != old.problem { log.error("part \(client.address) is missing: \(problem)") }
        if problem == nil, !old.isUp { log.notice("part \(client.address) is there") }
    }

    /// Its candidates for a query, with the peaks to compare them; nil if it does not answer.
    func candidates(
        for signature: Signature, followSeconds: Double?, wholeHours: Double, hops: Int
    ) async -> MatchReply? {
        guard isUp else { return nil }
        do {
            return try await client.currentMatch(
                signature, followSeconds: followSeconds ?? 0, minimumScore: Self.leastScore,
                wholeHours: wholeHours, hops: hops)
        } catch {
            // One that is busy is asked again; one that is gone comes back with `refresh`.
            if error is CatalogClient.Unreachable { note(nil, "\(error)") }
            return nil
        }
    }
}

/// The parts of a catalog on other servers.
struct CatalogParts: Sendable {
    private let parts: [CatalogPart]
    /// The name of this server among others, new each time it starts.
    private let own = UUID().uuidString
    /// The most connections to all parts, for many clients at once: at most a quarter of the descriptors, or one to each.
    let mostConnections: Int

    init(_ addresses: [String], log: Logger) throws {
        let share = min(64, max(1, OpenFiles.limit / 4 / max(1, addresses.count)))
        parts = try addresses.map { try CatalogPart(address: $0, mostConnections: share, log: log) }
        mostConnections = share * addresses.count
    }

    var isEmpty: Bool { parts.isEmpty }
    /// Whether a part is missing, or has parts that are.
    var isPartial: Bool { parts.contains { !$0.isUp || $0.facts?.isPartial == true } }
    /// The length of all references, of missing parts as they were, in hours.
    var hours: Double { parts.reduce(0) { $0 + ($1.facts?.hours ?? 0) } }
    var referenceCount: Int { parts.reduce(0) { $0 + ($1.facts?.references ?? 0) } }

    /// The servers that a query here is passed on to, this one first.
    var servers: [String] { [own] + Set(parts.flatMap(\.servers)).subtracting([own]).sorted() }

    func refresh() async {
        await withTaskGroup(of: Void.self) { group in
            for part in parts { group.addTask { [own] in await part.refresh(own: own) } }
        }
    }

    /// The answers of all parts that answer, in the order of the parts.
    func candidates(
        for signature: Signature, followSeconds: Double?, wholeHours: Double, hops: Int
    ) async -> PartReplies {
        let replies = await withTaskGroup(of: (Int, MatchReply?).self) { group in
            for (number, part) in parts.enumerated() {
                group.addTask {
                    let reply = await part.candidates(
                        for: signature, followSeconds: followSeconds, wholeHours: wholeHours, hops: hops)
                    return (number, reply)
                }
            }
            var replies = [MatchReply?](repeating: nil, count: parts.count)
            for await (number, reply) in group { replies[number] = reply }
            return replies
        }
        return PartReplies(replies)
    }

    /// The media item with a Shazam ID.
    ///
    /// - Throws: `CatalogFault` if none has it and a part is missing.
    func item(shazamID: String, hops: Int) async throws -> SHMediaItem? {
        var isMissing = false
        for part in parts {
            guard part.isUp else {
                isMissing = true
                continue
            }
            do { return try await part.client.currentItem(shazamID: shazamID, hops: hops) } catch {
                isMissing = isMissing || (error as? CatalogFault)?.code != .notFound
            }
        }
        guard isMissing else { return nil }
        throw CatalogFault(
            .overloaded, "a part of the catalog that may have the item is missing", remedy: "Try again later."
        )
    }
}

/// What the parts of a catalog answered to one query.
struct PartReplies: Sendable {
    /// The references of all parts, each identifier once.
    private(set) var references: [MatchReply.Reference] = []
    /// Their matches; `referenceIndex` is the index in `references` and `catalog`.
    private(set) var matches: [Match] = []
    /// The peaks of the references near the matches.
    private(set) var catalog: Catalog?
    private(set) var isPartial = false

    init() {}

    init(_ replies: [MatchReply?]) {
        var seen: Set<String> = []
        var excerpts: [Fingerprinting.Reference] = []
        for reply in replies {
            guard let reply else {
                isPartial = true
                continue
            }
            isPartial = isPartial || reply.isPartial
            for reference in reply.references where seen.insert(reference.reference).inserted {
                guard let peaks = try? reference.peaks() else {
                    isPartial = true
                    continue
                }
                matches.append(reference.match(at: references.count))
                excerpts.append(Fingerprinting.Reference(id: reference.reference, signature: peaks))
                references.append(reference)
            }
        }
        catalog = try? Catalog(comparing: excerpts)
        if catalog == nil { isPartial = true }
    }
}

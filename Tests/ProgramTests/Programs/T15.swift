// swift-format-ignore-file
import ShazamKit

actor Log { private(set) var seen: Set<String> = []; func note(_ m: SHMatch) { seen.formUnion(m.mediaItems.compactMap(\.shazamID)) } }
func fanOut(_ queries: [SHSignature], catalog: SHCustomCatalog, log: Log) async {
    await withTaskGroup(of: SHSession.Result.self) { group in
        for query in queries {
            group.addTask { await SHSession(catalog: catalog).result(from: query) }
        }
        for await case .match(let match) in group { await log.note(match) }
    }
}
func matchTwoCatalogs(_ q: SHSignature, _ a: SHCustomCatalog, _ b: SHCustomCatalog) async -> (SHSession.Result, SHSession.Result) {
    async let x = SHSession(catalog: a).result(from: q)
    async let y = SHSession(catalog: b).result(from: q)
    return await (x, y)
}

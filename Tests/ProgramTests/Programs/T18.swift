// swift-format-ignore-file
import ShazamKit

@MainActor final class ViewModel: NSObject {
    private(set) var title: String?
    private let session: SHSession
    init(catalog: SHCustomCatalog) { session = SHSession(catalog: catalog); super.init(); session.delegate = self }
    func run(_ q: SHSignature) { session.match(q) }
    fileprivate func show(_ t: String?) { title = t }
}
extension ViewModel: SHSessionDelegate {
    nonisolated func session(_ session: SHSession, didFind match: SHMatch) {
        let t = match.mediaItems.first?.title
        Task { @MainActor in self.show(t) }
    }
}

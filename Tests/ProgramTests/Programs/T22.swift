// swift-format-ignore-file
import AVFAudio
import Combine
import Foundation
import ShazamKit

// A model that moves what it hears to the main thread in each of the usual ways.
final class ListeningModel: NSObject, ObservableObject, SHSessionDelegate {
    @Published var title = ""
    @Published var offset = 0.0
    @Published var seconds = 0
    @Published var isInterrupted = false

    private let found = PassthroughSubject<SHMatchedMediaItem, Never>()
    private var subscriptions: Set<AnyCancellable> = []

    override init() {
        super.init()
        found.compactMap(\.title).removeDuplicates()
            .receive(on: DispatchQueue.main)
            .sink { [weak self] in self?.title = $0 }
            .store(in: &subscriptions)
        found.map(\.matchOffset)
            .debounce(for: .milliseconds(300), scheduler: RunLoop.main)
            .sink { [weak self] in self?.offset = $0 }
            .store(in: &subscriptions)
        found.throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)
            .sink { print($0.confidence) }
            .store(in: &subscriptions)
        Timer.publish(every: 1, on: .main, in: .common).autoconnect()
            .sink { [weak self] _ in self?.seconds += 1 }
            .store(in: &subscriptions)
        NotificationCenter.default.publisher(for: AVAudioSession.interruptionNotification)
            .receive(on: OperationQueue.main)
            .sink { [weak self] _ in self?.isInterrupted = true }
            .store(in: &subscriptions)
    }

    func session(_ session: SHSession, didFind match: SHMatch) {
        if let item = match.mediaItems.first { found.send(item) }
    }
}

import NIOCore
import Synchronization

/// Accepts connections only while there are descriptors for them.
///
/// It accepts one more than may stay, which takes the place of the one that has waited longest for its request. So a client that
/// sends its request at once is answered, however many wait.
final class ConnectionGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let load: ServerLoad
    private var open = 0
    private var isShut = false

    init(load: ServerLoad) { self.load = load }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        if open > load.mostConnections { load.waiting.closeOldest() }
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (gate, context) = here.value
            gate.connectionClosed(context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        isShut = open > load.mostConnections
        if !isShut { context.read() }
    }

    private func connectionClosed(_ context: ChannelHandlerContext) {
        open -= 1
        if isShut { read(context: context) }
    }
}

/// The connections that wait for a request or its rest, in the order in which the waits began.
final class WaitingConnections: Sendable {
    typealias Ticket = Int

    private struct State {
        var next: Ticket = 0
        var channels: [Ticket: any Channel] = [:]
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) -> Ticket {
        state.withLock { state in
            state.next += 1
            state.channels[state.next] = channel
            return state.next
        }
    }

    func remove(_ ticket: Ticket) { state.withLock { $0.channels[ticket] = nil } }

    func closeOldest() {
        let oldest = state.withLock { state in
            state.channels.keys.min().flatMap { state.channels.removeValue(forKey: $0) }
        }
        oldest?.close(promise: nil)
    }
}

import AudioCore
import EarshotKit
import NIOCore
import NIOHTTP1

/// One connection of a client: collects whole requests, and writes the answers.
///
/// A request must begin within a time since the connection opened or the answer before was taken. In that time again it
/// must be complete, and its answer must be taken. So a slow client holds a connection little longer than an idle one.
///
/// The next request begins when the answer before has been taken. ``PipelineLimit`` and the handler of SwiftNIO for
/// pipelines hold back those that come earlier.
final class HTTPConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    typealias Begin = @Sendable (HTTPRequest) -> Result<BegunRequest, CatalogFault>

    private enum State {
        case idle
        case receiving(Incoming)
        /// Until the answer is taken.
        case answering
        /// The rest of a refused request is not read.
        case closing
    }

    /// A request whose body comes.
    private final class Incoming {
        let head: HTTPRequestHead
        let request: BegunRequest
        var body: [UInt8] = []

        init(_ head: HTTPRequestHead, _ request: BegunRequest) {
            self.head = head
            self.request = request
        }
    }

    /// The time for a request, or for taking an answer.
    private let patience: TimeAmount
    private let load: ServerLoad
    private let service: Begin
    private var state = State.idle
    private var deadline: Scheduled<Void>?
    private var address = "unknown"
    private var connection: ClientBudget.Share?
    /// Its place among the connections that wait for a request; nil while it answers.
    private var place: WaitingConnections.Ticket? { didSet { oldValue.map(load.waiting.remove) } }
    private var answering: Task<Void, Never>?

    init(patience: TimeAmount, load: ServerLoad, service: @escaping Begin) {
        self.patience = patience
        self.load = load
        self.service = service
    }

    func channelActive(context: ChannelHandlerContext) {
        address = context.remoteAddress?.ipAddress.map(HTTPRequest.client(ofAddress:)) ?? "unknown"
        let connection = load.connections.share(of: address)
        guard (try? connection.take(1)) != nil else { return context.close(promise: nil) }
        self.connection = connection
        place = load.waiting.add(context.channel)
        startDeadline(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        // No one waits for the answer.
        answering?.cancel()
        connection = nil
        place = nil
        state = .closing
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .idle): begin(head, context)
        case (.body(let bytes), .receiving(let incoming)):
            receive(bytes.readableBytesView, of: incoming, context)
        case (.end, .receiving(let incoming)): answer(incoming, context)
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request: BegunRequest
        switch service(HTTPRequest(head, address: address)) {
        case .success(let begun): request = begun
        case .failure(let fault): return refuse(fault, withBody: head.method != .HEAD, context)
        }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        guard length <= request.mostBytes else { return refuse(.tooLarge(request.mostBytes), context) }
        let incoming = Incoming(head, request)
        incoming.body.reserveCapacity(length)
        state = .receiving(incoming)
        startDeadline(context)
        if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
    }

    private func receive(_ bytes: ByteBufferView, of incoming: Incoming, _ context: ChannelHandlerContext) {
        let most = incoming.request.mostBytes
        guard incoming.body.count + bytes.count <= most else { return refuse(.tooLarge(most), context) }
        do { try incoming.request.bytes.take(bytes.count) } catch { return refuse(error, context) }
        incoming.body.append(contentsOf: bytes)
    }

    private func answer(_ incoming: Incoming, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        place = nil
        state = .answering
        let (request, body) = (incoming.request, incoming.body)
        let keepsAlive = incoming.head.isKeepAlive
        let withBody = incoming.head.method != .HEAD
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        load.requestBegan()
        answering = Task { [load] in
            let answer = await request.answer(body)
            loop.execute {
                let (handler, context) = here.value
                handler.answering = nil
                let taken = handler.write(
                    answer, keepsAlive: keepsAlive && !load.endsConnections, withBody: withBody, context)
                taken.whenComplete { _ in load.requestEnded() }
            }
        }
    }

    /// Answers before the request is complete, and closes the connection.
    private func refuse(_ fault: CatalogFault, withBody: Bool = true, _ context: ChannelHandlerContext) {
        _ = write(HTTPAnswer(fault), keepsAlive: false, withBody: withBody, context)
    }

    /// Returns what completes when the answer is taken, or cannot be sent.
    private func write(
        _ answer: HTTPAnswer, keepsAlive: Bool, withBody: Bool, _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        let taken = context.eventLoop.makePromise(of: Void.self)
        guard context.channel.isActive else {
            taken.fail(ChannelError.ioOnClosedChannel)
            return taken.futureResult
        }
        var headers = HTTPHeaders(answer.headers)
        headers.add(name: "Content-Type", value: answer.type)
        headers.add(name: "Content-Length", value: "\(answer.body.count)")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = wrapOutboundOut(
            .head(
                HTTPResponseHead(
                    version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers
                )))
        state = keepsAlive ? .answering : .closing
        startDeadline(context)
        if withBody, !answer.body.isEmpty {
            context.write(head, promise: nil)
            let body = wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body))))
            context.writeAndFlush(body, promise: taken)
        } else {
            context.writeAndFlush(head, promise: taken)
        }
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let bytes = answer.bytes
        taken.futureResult.whenComplete { result in
            // The answer's bytes count until here.
            withExtendedLifetime(bytes) {}
            let (handler, context) = here.value
            if case .success = result { handler.finish(keepsAlive: keepsAlive, context) }
        }
        return taken.futureResult
    }

    /// Goes on to the next request, or closes the connection.
    private func finish(keepsAlive: Bool, _ context: ChannelHandlerContext) {
        if keepsAlive { state = .idle }
        place = load.waiting.add(context.channel)
        startDeadline(context)
        // The end of the answer has no bytes. With it the next request comes, if it is here already.
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        guard !keepsAlive else { return }
        // What the client still sends is read until it closes, at most until the deadline: a reset could overtake the answer.
        context.channel.close(mode: .output, promise: nil)
    }

    private func startDeadline(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: patience) {
            let (handler, context) = here.value
            handler.losePatience(context)
        }
    }

    private func losePatience(_ context: ChannelHandlerContext) {
        guard case .receiving = state else { return context.close(promise: nil) }
        refuse(.tooSlow(patience), context)
    }
}

/// A request whose body is still to come.
struct BegunRequest: Sendable {
    /// The most bytes of its body.
    let mostBytes: Int
    /// Of what the bytes of its body count.
    let bytes: ClientBudget.Share
    /// Answers the request with its whole body.
    let answer: @Sendable (_ body: [UInt8]) async -> HTTPAnswer
}

/// Closes a connection with more requests than may wait for its answer.
///
/// It comes before the handler that holds them back.
final class PipelineLimit: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let most: Int
    private var waiting = 0
    private var isClosed = false

    init(most: Int) { self.most = most }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { waiting += 1 }
        if !isClosed, waiting <= most { return context.fireChannelRead(data) }
        // The decoder goes on with the bytes that it has.
        if !isClosed { context.close(promise: nil) }
        isClosed = true
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { waiting -= 1 }
        context.write(data, promise: promise)
    }
}

extension CatalogFault {
    fileprivate static func tooLarge(_ most: Int) -> CatalogFault {
        CatalogFault(
            .bodyTooLarge, "the body has more than \(most) bytes",
            remedy:
                "Send less; a query has at most \(Int(bounded: CatalogFacts.queryDurations.upperBound)) s."
        )
    }

    fileprivate static func tooSlow(_ patience: TimeAmount) -> CatalogFault {
        CatalogFault(
            .requestTimeout,
            "the request was not complete after \(patience.nanoseconds / 1_000_000) ms",
            remedy: "Send it again, all at once.")
    }
}

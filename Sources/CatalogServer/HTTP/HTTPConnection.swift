import EarshotKit
import NIOCore
import NIOHTTP1

/// One connection of a client: collects whole requests, and writes the answers.
///
/// A request must begin within a time since the connection opened or the answer before. In that time again it must be
/// complete, and its answer must be taken. So a slow client holds a connection little longer than an idle one.
final class HTTPConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    typealias Begin = @Sendable (HTTPRequest) -> BegunRequest

    private enum State {
        case idle
        case receiving(HTTPRequestHead, BegunRequest, [UInt8])
        case answering
        /// The rest of a refused request is not read.
        case closing
    }

    /// The time for a request, or for taking an answer.
    private let patience: TimeAmount
    private let load: ServerLoad
    private let service: Begin
    private var state = State.idle
    private var deadline: Scheduled<Void>?
    private var address = "unknown"

    init(patience: TimeAmount, load: ServerLoad, service: @escaping Begin) {
        self.patience = patience
        self.load = load
        self.service = service
    }

    func channelActive(context: ChannelHandlerContext) {
        address = context.remoteAddress?.ipAddress.map(HTTPRequest.client(ofAddress:)) ?? "unknown"
        guard load.connectionOpened(from: address) else {
            context.close(promise: nil)
            return
        }
        startDeadline(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        load.connectionClosed(from: address)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), state) {
        case (.head(let head), .idle): begin(head, context)
        case (.body(let bytes), .receiving(let head, let request, let body)):
            // The array must have one owner to grow in place.
            state = .idle
            var body = body
            body.append(contentsOf: bytes.readableBytesView)
            guard body.count <= request.mostBytes else {
                return refuse(.tooLarge(request.mostBytes), context)
            }
            state = .receiving(head, request, body)
        case (.end, .receiving(let head, let request, let body)): answer(head, request, body, context)
        default: break
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let request = service(HTTPRequest(head, address: address))
        if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }),
            length > request.mostBytes
        {
            return refuse(.tooLarge(request.mostBytes), context)
        }
        state = .receiving(head, request, [])
        startDeadline(context)
        if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
    }

    private func answer(
        _ head: HTTPRequestHead, _ request: BegunRequest, _ body: [UInt8], _ context: ChannelHandlerContext
    ) {
        deadline?.cancel()
        state = .answering
        let keepsAlive = head.isKeepAlive
        let here = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        load.requestBegan()
        Task { [load] in
            let answer = await request.answer(body)
            loop.execute {
                let (handler, context) = here.value
                let written = handler.write(
                    answer, keepsAlive: keepsAlive && !load.isDraining, withBody: head.method != .HEAD,
                    context)
                written.whenComplete { _ in load.requestEnded() }
            }
        }
    }

    /// Answers before the request is complete, and closes the connection.
    private func refuse(_ fault: CatalogFault, _ context: ChannelHandlerContext) {
        _ = write(HTTPAnswer(fault), keepsAlive: false, withBody: true, context)
    }

    /// Returns what completes when the answer is sent, or cannot be sent.
    private func write(
        _ answer: HTTPAnswer, keepsAlive: Bool, withBody: Bool, _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        let written = context.eventLoop.makePromise(of: Void.self)
        guard context.channel.isActive else {
            written.fail(ChannelError.ioOnClosedChannel)
            return written.futureResult
        }
        var headers = HTTPHeaders(answer.headers)
        headers.add(name: "Content-Type", value: answer.type)
        headers.add(name: "Content-Length", value: "\(answer.body.count)")
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if withBody, !answer.body.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        }
        state = keepsAlive ? .idle : .closing
        startDeadline(context)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        guard !keepsAlive else { return written.futureResult }
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        // What the client still sends is read for a moment: a reset could overtake the answer.
        written.futureResult.whenComplete { _ in
            here.value.channel.close(mode: .output, promise: nil)
            here.value.eventLoop.scheduleTask(in: .seconds(1)) { here.value.close(promise: nil) }
        }
        return written.futureResult
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
    /// Answers the request with its whole body.
    let answer: @Sendable (_ body: [UInt8]) async -> HTTPAnswer
}

extension CatalogFault {
    fileprivate static func tooLarge(_ most: Int) -> CatalogFault {
        CatalogFault(
            .bodyTooLarge, "the body has more than \(most) bytes",
            remedy: "Send less; a query has at most \(Int(CatalogFacts.queryDurations.upperBound)) s."
        )
    }

    fileprivate static func tooSlow(_ patience: TimeAmount) -> CatalogFault {
        CatalogFault(
            .requestTimeout,
            "the request was not complete after \(patience.nanoseconds / 1_000_000) ms",
            remedy: "Send it again, all at once.")
    }
}

import AudioCore
internal import CMalloc
import EarshotKit
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import SystemIO

/// A catalog that other machines ask over HTTP.
package struct CatalogServer {
    private static let watchPeriod = Duration.milliseconds(500)
    private static let drainSeconds = 15.0
    /// What a connection reads at a time, so that little waits behind a request.
    private static let readBytes = 16 << 10
    /// Memory for more bytes than this goes back to the system when it is free.
    private static let keptBytes = 1 << 20

    /// What decoding audio opens at a time: channels to the decoder, their other ends while it starts, and the audio.
    private static let decoderDescriptors = 8

    private let configuration: ServerConfiguration
    private let loops: MultiThreadedEventLoopGroup
    private let catalog: LiveCatalog
    private let service: CatalogService
    private let load: ServerLoad
    private let workers: FairWorkers
    private let log: Logger

    /// Opens catalogs and tokens.
    package init(_ configuration: ServerConfiguration) throws {
        self.configuration = configuration
        OpenFiles.raiseLimit()
        var log = Logger(label: "earshot.catalog") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = configuration.isVerbose ? .info : .notice
        self.log = log
        catalog = try LiveCatalog(
            files: configuration.catalogs, store: configuration.store,
            setsAsideDamaged: configuration.setsAsideDamaged, parts: configuration.parts, log: log)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        workers = FairWorkers(cores: cores, waitSeconds: CatalogLimit.waitSeconds.value)
        // A loop has 3 descriptors. Those of many cores would leave few for connections.
        loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, min(cores, OpenFiles.limit / 48)))
        load = try ServerLoad(
            // Behind a proxy all connections come from one address.
            connectionsPerAddress: configuration.trustsProxy ? 0 : configuration.connectionsPerAddress,
            // A file that is replaced is open until the last query of the old one ends.
            reserved: configuration.catalogs.count + catalog.mostPartConnections
                + (configuration.acceptsAudio ? workers.threads * Self.decoderDescriptors : 0))
        service = CatalogService(
            catalog: catalog, tokens: try configuration.tokens.map { try TokenList(contentsOf: $0) },
            configuration: configuration, load: load, workers: workers, log: log)
    }

    /// Serves until SIGTERM or SIGINT; then requests that have begun are answered.
    ///
    /// - Parameter onStart: Receives the address of the server once it takes connections.
    package func run(onStart: @Sendable (String) throws -> Void) async throws {
        // Without a fixed threshold, the bodies of an attack are never given back to the system.
        mallopt(M_MMAP_THRESHOLD, Int32(Self.keptBytes))
        workers.start()
        let signals = SignalStream([SIGTERM, SIGINT, SIGHUP])
        await catalog.refreshParts()
        let listener = try await listen()
        let facts = catalog.facts
        log.notice("serving \(facts.references) references, \(Int(bounded: facts.hours.rounded())) hours")
        try onStart(Self.text(of: listener.localAddress, host: configuration.host))
        // Apart, so that a part that does not answer keeps no new file waiting.
        let watches = [
            Self.watch { [catalog] in catalog.refresh() },
            Self.watch { [catalog] in await catalog.refreshParts() },
        ]
        for await signal in signals.stream {
            guard signal == SIGHUP else { break }
            catalog.refresh()
        }
        for watch in watches { watch.cancel() }
        log.notice("ending: \(load.unansweredRequests) requests are answered first")
        try await listener.close()
        await load.drain(atMost: Self.drainSeconds)
        try await workers.end()
    }

    private static func watch(_ look: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task { while (try? await Task.sleep(for: watchPeriod)) != nil { await look() } }
    }

    private func listen() async throws -> any Channel {
        do {
            return try await bootstrap.bind(host: configuration.host, port: configuration.port).get()
        } catch {
            let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
            throw ListenError(
                description: "\(configuration.host):\(configuration.port): cannot listen: \(reason)")
        }
    }

    /// An address at which the server cannot take connections.
    package struct ListenError: Error, CustomStringConvertible {
        package let description: String
    }

    private var bootstrap: ServerBootstrap {
        let patience = TimeAmount.nanoseconds(Int64(bounded: configuration.patienceSeconds * 1_000_000_000))
        var headers = NIOHTTPDecoderLimitConfiguration()
        headers.maxHeaderListSize = CatalogLimit.headerBytes.count
        headers.maxHeaderFieldSize = CatalogLimit.headerBytes.count
        return ServerBootstrap(group: loops)
            .serverChannelOption(.backlog, value: 512)
            // With more at a time, more would be accepted than the gate lets in.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { [load] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionGate(load: load))
                }
            }
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [headers, load, service] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: true, withErrorHandling: true,
                        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: headers)
                    let decoder = try channel.pipeline.syncOperations.handler(
                        type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                    try channel.pipeline.syncOperations.addHandler(
                        PipelineLimit(most: CatalogLimit.pipelined.count), position: .after(decoder))
                    try channel.pipeline.syncOperations.addHandler(
                        HTTPConnection(patience: patience, load: load) { service.begin($0) })
                }
            }
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 1 << 10, initial: 2 << 10, maximum: Self.readBytes))
    }

    private static func text(of address: SocketAddress?, host: String) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "http://\(name):\(address?.port ?? 0)"
    }
}

/// Signals to the process, in order.
private final class SignalStream {
    let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init(_ signals: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        let registered = DispatchGroup()
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        // A signal before that would be lost.
        registered.wait()
    }

    deinit { for source in sources { source.cancel() } }
}

import Combine
import Foundation
import Synchronization
import Testing

/// Publishers pass values on where they are told to.
@Suite struct SchedulerTests {
    /// A run loop on a thread of its own.
    private final class Loop: @unchecked Sendable {
        // Sendable: the thread sets the loop before it signals.
        private(set) var loop: RunLoop!
        private let isOver = Mutex(false)

        init() {
            let isReady = DispatchSemaphore(value: 0)
            let thread = Thread { [self] in
                loop = .current
                Thread.current.threadDictionary["loop"] = true
                isReady.signal()
                // A loop without a timer ends at once.
                while !isOver.withLock({ $0 }) {
                    RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
                }
            }
            thread.start()
            isReady.wait()
        }

        deinit { isOver.withLock { $0 = true } }
        func stop() { isOver.withLock { $0 = true } }
    }

    @Test(.timeLimit(.minutes(5))) func aQueueReceivesInOrder() async {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "receiver")
        queue.setSpecific(key: key, value: true)
        let numbers = PassthroughSubject<Int, Never>()
        let (received, continuation) = AsyncStream.makeStream(of: (Int, Bool).self)
        let subscription = numbers.receive(on: queue).sink {
            continuation.yield(($0, DispatchQueue.getSpecific(key: key) == true))
        }
        for number in 0..<100 { numbers.send(number) }
        var next = 0
        for await (number, isOnQueue) in received.prefix(100) {
            #expect(number == next && isOnQueue)
            next += 1
        }
        subscription.cancel()
    }

    @Test(.timeLimit(.minutes(5))) func anOperationQueueReceives() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (received, continuation) = AsyncStream.makeStream(of: Bool.self)
        let subscription = Just(1).delay(for: .milliseconds(5), scheduler: queue).receive(on: queue).sink {
            _ in
            continuation.yield(OperationQueue.current === queue)
        }
        #expect(await received.first { _ in true } == true)
        subscription.cancel()
    }

    @Test(.timeLimit(.minutes(5))) func aRunLoopReceivesValuesAndTimes() async {
        let thread = Loop()
        let (received, continuation) = AsyncStream.makeStream(of: Bool.self)
        let subscription = Just(1).receive(on: thread.loop).sink { _ in
            continuation.yield(Thread.current.threadDictionary["loop"] != nil)
        }
        let timer = Timer.publish(every: 0.001, on: thread.loop, in: .default).autoconnect().sink { _ in
            continuation.yield(Thread.current.threadDictionary["loop"] != nil)
        }
        var count = 0
        for await isOnLoop in received.prefix(4) {
            #expect(isOnLoop)
            count += 1
        }
        #expect(count == 4)
        subscription.cancel()
        timer.cancel()
        thread.stop()
    }

    @Test(.timeLimit(.minutes(5))) func aRepeatedActionEndsWhenCancelled() async {
        let queue = DispatchQueue(label: "repeats")
        let (ticks, continuation) = AsyncStream.makeStream(of: Void.self)
        let count = Mutex(0)
        let repeats = queue.schedule(
            after: queue.now.advanced(by: .milliseconds(1)), interval: .milliseconds(1), tolerance: 0,
            options: nil
        ) {
            count.withLock { $0 += 1 }
            continuation.yield()
        }
        var seen = 0
        for await _ in ticks.prefix(3) { seen += 1 }
        #expect(seen == 3)
        repeats.cancel()
        queue.sync {}
        let atEnd = count.withLock { $0 }
        queue.sync {}
        try? await Task.sleep(for: .milliseconds(20))
        #expect(count.withLock { $0 } == atEnd)
    }

    @Test func notificationsOfANameAndAnObjectAreReceivedUntilCancelled() {
        let center = NotificationCenter()
        let name = Notification.Name("changed")
        let (one, other) = (NSObject(), NSObject())
        let heard = Mutex(0)
        let subscription = center.publisher(for: name, object: one).sink { _ in heard.withLock { $0 += 1 } }
        center.post(name: name, object: one)
        center.post(name: name, object: other)
        center.post(name: Notification.Name("other"), object: one)
        #expect(heard.withLock { $0 } == 1)
        subscription.cancel()
        center.post(name: name, object: one)
        #expect(heard.withLock { $0 } == 1)
    }
}

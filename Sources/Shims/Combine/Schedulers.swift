import Dispatch
import Foundation
import OpenCombine

/// The time between two times of a scheduler, in seconds.
public struct SchedulerInterval: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric,
    ExpressibleByFloatLiteral, Hashable, Sendable
{
    /// The seconds.
    public var timeInterval: TimeInterval

    /// Takes seconds.
    public init(_ timeInterval: TimeInterval) { self.timeInterval = timeInterval }
    /// Takes seconds.
    public init(floatLiteral value: Double) { timeInterval = value }
    /// Takes seconds.
    public init(integerLiteral value: Int) { timeInterval = Double(value) }
    /// Takes seconds.
    public init?(exactly source: some BinaryInteger) {
        guard let seconds = Double(exactly: source) else { return nil }
        timeInterval = seconds
    }

    /// A number of seconds.
    public static func seconds(_ s: Int) -> Self { Self(Double(s)) }
    /// A number of seconds.
    public static func seconds(_ s: Double) -> Self { Self(s) }
    /// A number of milliseconds.
    public static func milliseconds(_ ms: Int) -> Self { Self(Double(ms) * 1e-3) }
    /// A number of microseconds.
    public static func microseconds(_ us: Int) -> Self { Self(Double(us) * 1e-6) }
    /// A number of nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Self { Self(Double(ns) * 1e-9) }

    /// The seconds without their sign.
    public var magnitude: Double { abs(timeInterval) }
    /// Compares the seconds.
    public static func < (a: Self, b: Self) -> Bool { a.timeInterval < b.timeInterval }
    /// Adds the seconds.
    public static func + (a: Self, b: Self) -> Self { Self(a.timeInterval + b.timeInterval) }
    /// Subtracts the seconds.
    public static func - (a: Self, b: Self) -> Self { Self(a.timeInterval - b.timeInterval) }
    /// Multiplies the seconds.
    public static func * (a: Self, b: Self) -> Self { Self(a.timeInterval * b.timeInterval) }
    /// Multiplies the seconds.
    public static func *= (a: inout Self, b: Self) { a = a * b }
}

/// A date as the time of a scheduler.
public struct SchedulerDate: Strideable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Takes a date.
    public init(_ date: Date) { self.date = date }

    private static let referenceDate = DispatchWallTime(timespec: timespec(tv_sec: 978_307_200, tv_nsec: 0))

    fileprivate var wallTime: DispatchWallTime { Self.referenceDate + date.timeIntervalSinceReferenceDate }

    /// The time from this one to another.
    public func distance(to other: Self) -> SchedulerInterval {
        SchedulerInterval(other.date.timeIntervalSince(date))
    }
    /// The time after an interval.
    public func advanced(by interval: SchedulerInterval) -> Self {
        Self(date.addingTimeInterval(interval.timeInterval))
    }
}

/// Runs `action` at a time on a queue, and then again and again.
private func timer(
    on queue: DispatchQueue, after seconds: TimeInterval, every interval: TimeInterval,
    _ action: @escaping () -> Void
) -> any Cancellable {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + max(0, seconds), repeating: interval)
    timer.setEventHandler(handler: action)
    timer.resume()
    return AnyCancellable { timer.cancel() }
}

// MARK: - DispatchQueue

extension DispatchQueue: @retroactive Scheduler {
    /// A time of a queue.
    public struct SchedulerTimeType: Strideable, Hashable, Sendable {
        /// The time.
        public var dispatchTime: DispatchTime

        /// Takes a time.
        public init(_ time: DispatchTime) { dispatchTime = time }

        /// The time from this one to another.
        public func distance(to other: Self) -> SchedulerInterval {
            let (from, to) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            return SchedulerInterval((Double(to) - Double(from)) * 1e-9)
        }
        /// The time after an interval.
        public func advanced(by interval: SchedulerInterval) -> Self {
            Self(dispatchTime + interval.timeInterval)
        }
        /// Equal times have equal hashes.
        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }
    }

    /// How a queue runs an action.
    public struct SchedulerOptions {
        /// The quality of service.
        public var qos: DispatchQoS
        /// The flags of the work item.
        public var flags: DispatchWorkItemFlags
        /// The group of the work item.
        public var group: DispatchGroup?

        /// Takes the options.
        public init(
            qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
            group: DispatchGroup? = nil
        ) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    /// The current time.
    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
    /// 0.
    public var minimumTolerance: SchedulerInterval { 0 }

    /// Runs an action soon.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        async(
            group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? [],
            execute: action)
    }

    /// Runs an action at a time.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerInterval, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        asyncAfter(
            deadline: date.dispatchTime, qos: options?.qos ?? .unspecified, flags: options?.flags ?? [],
            execute: action)
    }

    /// Runs an action at a time, and then at an interval.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerInterval, tolerance: SchedulerInterval,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        timer(on: self, after: now.distance(to: date).timeInterval, every: interval.timeInterval, action)
    }
}

// MARK: - OperationQueue

extension OperationQueue: @retroactive Scheduler {
    /// No option exists.
    public struct SchedulerOptions {}

    /// A date.
    public typealias SchedulerTimeType = SchedulerDate

    private static let delays = DispatchQueue(label: "Combine delays of operation queues")

    /// The current time.
    public var now: SchedulerDate { SchedulerDate(Date()) }
    /// 0.
    public var minimumTolerance: SchedulerInterval { 0 }

    /// Runs an action soon.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        addOperation(BlockOperation(block: action))
    }

    /// Runs an action at a time.
    public func schedule(
        after date: SchedulerDate, tolerance: SchedulerInterval, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        // One serial queue for all, and exact times: of a value and the completion after it, the value is first.
        Self.delays.asyncAfter(wallDeadline: date.wallTime) {
            self.addOperation(BlockOperation(block: action))
        }
    }

    /// Runs an action at a time, and then at an interval.
    public func schedule(
        after date: SchedulerDate, interval: SchedulerInterval, tolerance: SchedulerInterval,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        timer(on: .global(), after: date.date.timeIntervalSinceNow, every: interval.timeInterval) {
            self.addOperation(BlockOperation(block: action))
        }
    }
}

// MARK: - RunLoop

extension RunLoop: @retroactive Scheduler {
    /// No option exists.
    public struct SchedulerOptions {}

    /// A date.
    public typealias SchedulerTimeType = SchedulerDate

    /// The current time.
    public var now: SchedulerDate { SchedulerDate(Date()) }
    /// 0.
    public var minimumTolerance: SchedulerInterval { 0 }

    /// Runs an action soon.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        schedule(after: now, tolerance: 0, options: nil, action)
    }

    /// Runs an action at a time.
    public func schedule(
        after date: SchedulerDate, tolerance: SchedulerInterval, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        // A timer wakes the loop, also from another thread.
        add(Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }, forMode: .default)
    }

    /// Runs an action at a time, and then at an interval.
    public func schedule(
        after date: SchedulerDate, interval: SchedulerInterval, tolerance: SchedulerInterval,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action()
        }
        add(timer, forMode: .default)
        return AnyCancellable { timer.invalidate() }
    }
}

extension Timer {
    /// Publishes the date at an interval once it is connected.
    ///
    /// - Parameters:
    ///   - tolerance: Ignored.
    ///   - options: Ignored.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop,
        in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher { TimerPublisher(interval: interval, runLoop: runLoop, mode: mode) }

    /// A publisher of dates.
    public final class TimerPublisher: ConnectablePublisher {
        /// A date.
        public typealias Output = Date
        /// No failure.
        public typealias Failure = Never

        private let interval: TimeInterval
        private let runLoop: RunLoop
        private let mode: RunLoop.Mode
        private let dates = PassthroughSubject<Date, Never>()

        init(interval: TimeInterval, runLoop: RunLoop, mode: RunLoop.Mode) {
            self.interval = interval
            self.runLoop = runLoop
            self.mode = mode
        }

        /// Passes values on to a subscriber.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Date, Downstream.Failure == Never {
            dates.receive(subscriber: subscriber)
        }

        /// Starts the timer, which ends when the result is cancelled or released.
        public func connect() -> any Cancellable {
            let timer = Timer(timeInterval: interval, repeats: true) { [dates] timer in
                dates.send(timer.fireDate)
            }
            runLoop.add(timer, forMode: mode)
            return AnyCancellable { timer.invalidate() }
        }
    }
}

extension NotificationCenter {
    /// Publishes notifications of a name, of one object or of all.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
        Publisher(center: self, name: name, object: object)
    }

    /// A publisher of notifications.
    public struct Publisher: OpenCombine.Publisher {
        /// A notification.
        public typealias Output = Notification
        /// No failure.
        public typealias Failure = Never

        /// Where notifications are posted.
        public let center: NotificationCenter
        /// The name of the notifications.
        public let name: Notification.Name
        /// The object that posts; nil for all.
        public let object: AnyObject?

        /// Passes values on to a subscriber.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Notification, Downstream.Failure == Never {
            let notes = PassthroughSubject<Notification, Never>()
            let token = center.addObserver(forName: name, object: object, queue: nil) { notes.send($0) }
            notes.handleEvents(receiveCancel: { center.removeObserver(token) }).receive(
                subscriber: subscriber)
        }
    }
}

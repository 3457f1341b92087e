import Glibc
import Synchronization

/// A mapped file whose missing bytes read as zeros.
///
/// Where a mapped file was shortened, or its disk fails, the system sends SIGBUS, which ends the process. This handler puts
/// a page of zeros there instead, and ``hasMissedBytes`` is true from then on. A handler that the program installs later
/// takes its place.
final class MappingGuard {
    private let slot: UnsafeMutablePointer<Slot>

    fileprivate struct Slot: ~Copyable {
        /// 0 where the slot is free.
        let start = Atomic<UInt>(0)
        /// 0 where the slot is not in use yet, or no more.
        let end = Atomic<UInt>(0)
        let hasMissedBytes = Atomic(false)
    }

    /// Guards mapped bytes; nil where there are too many mapped files.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, Self.isInstalled else { return nil }
        let address = UInt(bitPattern: base)
        for number in 0..<Self.slotCount {
            let slot = Self.slots + number
            guard
                slot.pointee.start.compareExchange(expected: 0, desired: address, ordering: .acquiring)
                    .exchanged
            else { continue }
            slot.pointee.hasMissedBytes.store(false, ordering: .relaxed)
            slot.pointee.end.store(address + UInt(bytes.count), ordering: .releasing)
            self.slot = slot
            return
        }
        return nil
    }

    deinit {
        slot.pointee.end.store(0, ordering: .relaxed)
        slot.pointee.start.store(0, ordering: .releasing)
    }

    /// Whether bytes were read that could not be had.
    var hasMissedBytes: Bool { slot.pointee.hasMissedBytes.load(ordering: .relaxed) }

    private static let slotCount = 256

    // All of these are made once, before the handler is installed; slots hold atomics only.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
        for number in 0..<slotCount { (slots + number).initialize(to: Slot()) }
        return slots
    }()

    private static let pageSize = UInt(sysconf(Int32(_SC_PAGESIZE)))

    /// What handled the signal before, for addresses of others.
    nonisolated(unsafe) private static let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)

    private static let isInstalled: Bool = {
        // A handler must not be the first to use them.
        previous.initialize(to: sigaction())
        _ = (slots, pageSize)
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { _, info, _ in
            let address = info.map { UInt(bitPattern: $0.pointee._sifields._sigfault.si_addr) } ?? 0
            if !MappingGuard.replacePage(at: address) { sigaction(SIGBUS, MappingGuard.previous, nil) }
        }
        action.sa_flags = SA_SIGINFO | Int32(bitPattern: UInt32(SA_ONSTACK))
        return sigaction(SIGBUS, &action, previous) == 0
    }()

    /// Puts zeros at the page of a guarded address; called in a signal handler, so it must not allocate or lock.
    private static func replacePage(at address: UInt) -> Bool {
        for number in 0..<slotCount {
            let slot = slots + number
            guard address >= slot.pointee.start.load(ordering: .relaxed),
                address < slot.pointee.end.load(ordering: .acquiring)
            else { continue }
            slot.pointee.hasMissedBytes.store(true, ordering: .relaxed)
            let page = UnsafeMutableRawPointer(bitPattern: address / pageSize * pageSize)
            return mmap(page, Int(pageSize), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                != MAP_FAILED
        }
        return false
    }
}

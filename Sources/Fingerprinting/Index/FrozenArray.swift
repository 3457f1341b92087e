/// An array that never changes again, read through a bare pointer in the inner loops.
///
/// Sendable because nothing writes to it after `init`. A pointer taken from it is valid only as long
/// as the array is held.
final class FrozenArray<Element: BitwiseCopyable>: @unchecked Sendable {
    /// The first element; valid, though not to be read, when there is none.
    let base: UnsafePointer<Element>
    let count: Int

    init(_ elements: some Collection<Element>) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, elements.count))
        _ = memory.initialize(from: elements)
        // A buffer of at least one element has an address.
        base = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
        count = elements.count
    }

    /// Takes elements that `fill` writes; it is given `count` of them, not initialised.
    init(count: Int, fill: (UnsafeMutablePointer<Element>) -> Void) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
        fill(memory)
        base = UnsafePointer(memory)
        self.count = count
    }

    deinit { base.deallocate() }
}

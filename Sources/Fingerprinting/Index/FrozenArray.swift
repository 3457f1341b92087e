/// An array that never changes again, read through a bare pointer in the inner loops.
///
/// Its elements are its own, or lie in a file: then `isIntact` must be asked before they are used. Sendable
/// because nothing writes to it after `init`. A pointer taken from it is valid only as long as the array is held.
final class FrozenArray<Element: BitwiseCopyable>: @unchecked Sendable {
    /// The first element; valid, though not to be read, when there is none.
    let base: UnsafePointer<Element>
    let count: Int
    /// The file that the elements lie in; nil when they are the array's own.
    let owner: MappedFile?

    init(_ elements: some Collection<Element>) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, elements.count))
        _ = memory.initialize(from: elements)
        // A buffer of at least one element has an address.
        base = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
        count = elements.count
        owner = nil
    }

    /// Takes elements that `fill` writes; it is given `count` of them, not initialised.
    init(count: Int, fill: (UnsafeMutablePointer<Element>) -> Void) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
        fill(memory)
        base = UnsafePointer(memory)
        self.count = count
        owner = nil
    }

    /// Takes over elements at an address that `deallocate` frees.
    init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
        owner = nil
    }

    /// Shows bytes of a file as elements; their address is a multiple of the elements' alignment.
    init(mapped bytes: UnsafeRawBufferPointer, owner: MappedFile) {
        count = bytes.count / MemoryLayout<Element>.stride
        // The address of an empty section is that of the byte after it, and never read.
        base = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
        self.owner = owner
    }

    deinit { if owner == nil { base.deallocate() } }

    /// Whether the elements may be used: verifies a file's blocks on first use.
    ///
    /// When it says no, the file keeps the reason. Parts of `range` beyond the array count for nothing.
    @inline(__always)
    func isIntact(_ range: Range<Int>) -> Bool {
        guard let owner, !owner.isVerified else { return true }
        return owner.isIntact(bytes(range))
    }

    /// The element at a place.
    @inline(__always)
    subscript(place: Int) -> Element { base[place] }

    /// The bytes of some elements.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            UnsafeBufferPointer(
                rebasing: UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)]))
    }

    /// Where in its file an element lies; counted from the first element when they are the array's own.
    func position(of place: Int) -> Int {
        (owner?.position(of: base) ?? 0) + place * MemoryLayout<Element>.stride
    }
}

extension FrozenArray<UInt8> {
    /// Reads some of the bytes, once their blocks are verified.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when they are damaged or lie beyond the array.
    func reader(of what: String, in range: Range<Int>? = nil) throws -> ByteReader {
        let range = range ?? 0..<count
        let name = owner?.name ?? "catalog"
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw FingerprintingError(
                .malformedFile, "\(name): byte \(position(of: count)): expected more bytes of \(what)")
        }
        guard isIntact(range) else {
            try owner?.throwIfDamaged()
            throw FingerprintingError(.malformedFile, "\(name): \(what) is damaged")
        }
        return ByteReader(
            bytes(range), origin: position(of: range.lowerBound), name: name, owner: self)
    }
}

/// An immutable array, which inner loops read through a bare pointer.
///
/// It owns its elements, or they are part of a file; then call `isIntact` before you use them. Sendable because
/// nothing writes to it after `init`. A pointer to its elements is valid as long as the array is alive.
final class FrozenArray<Element: BitwiseCopyable>: @unchecked Sendable {
    /// The first element; valid, though not to be read, when there is none.
    let base: UnsafePointer<Element>
    let count: Int
    /// The file that holds the elements; nil when the array owns them.
    let owner: MappedFile?

    convenience init(_ elements: some Collection<Element>) {
        let count = elements.count
        self.init(count: count) { memory in
            _ = UnsafeMutableBufferPointer(start: memory, count: count).initialize(from: elements)
        }
    }

    /// Allocates `count` elements and has `fill` initialise them.
    convenience init(count: Int, fill: (UnsafeMutablePointer<Element>) -> Void) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, count))
        fill(memory)
        self.init(adopting: memory, count: count)
    }

    /// Takes ownership of elements; `deallocate` frees them.
    init(adopting memory: UnsafeMutablePointer<Element>, count: Int) {
        base = UnsafePointer(memory)
        self.count = count
        owner = nil
    }

    /// Shows bytes of a file as elements; their address is a multiple of the elements' alignment.
    init(mapped bytes: UnsafeRawBufferPointer, owner: MappedFile) {
        count = bytes.count / MemoryLayout<Element>.stride
        // An empty section has the address of the byte after it, which is never read.
        base = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Element.self)
        self.owner = owner
    }

    convenience init(_ whole: FrozenArray, _ range: Range<Int>, in file: MappedFile) {
        self.init(mapped: whole.bytes(range), owner: file)
    }

    deinit { if owner == nil { base.deallocate() } }

    /// Whether the elements can be used; verifies a file's blocks on first use.
    ///
    /// When they are damaged, the file keeps the error. Parts of `range` beyond the array are ignored.
    @inline(__always)
    func isIntact(_ range: Range<Int>) -> Bool {
        guard let owner, !owner.isVerified else { return true }
        return owner.isIntact(bytes(range))
    }

    /// Throws if elements cannot be used.
    ///
    /// - Throws: The first error of the file.
    func requireIntact(_ range: Range<Int>) throws {
        if !isIntact(range) { try owner?.throwIfDamaged() }
    }

    /// An error that names the byte of an element.
    func error(at place: Int, expected: String) -> FingerprintingError {
        FingerprintingError(
            .malformedFile,
            "\(owner?.name ?? "catalog"): byte \(position(of: place)): expected \(expected)")
    }

    @inline(__always)
    subscript(place: Int) -> Element { base[place] }

    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            UnsafeBufferPointer(
                rebasing: UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)]))
    }

    /// The byte position of an element in its file, or from the first element when the array owns them.
    func position(of place: Int) -> Int {
        (owner?.position(of: base) ?? 0) + place * MemoryLayout<Element>.stride
    }
}

extension FrozenArray<UInt8> {
    /// Reads some of the bytes, once their blocks are verified.
    ///
    /// - Throws: `FingerprintingError.malformedFile` when they are damaged or beyond the array.
    func reader(of what: String, in range: Range<Int>? = nil) throws -> ByteReader {
        let range = range ?? 0..<count
        guard range.lowerBound >= 0, range.upperBound <= count else {
            throw error(at: count, expected: "more bytes of \(what)")
        }
        try requireIntact(range)
        return ByteReader(
            bytes(range), origin: position(of: range.lowerBound), name: owner?.name ?? "catalog", owner: self)
    }
}

/// An array that can become a `FrozenArray` without a copy.
struct GrowingArray<Element: BitwiseCopyable>: ~Copyable {
    private var memory: UnsafeMutablePointer<Element>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 16
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        memory[count] = element
        count += 1
    }

    mutating func append(contentsOf elements: some Collection<Element>) {
        if count + elements.count > capacity { grow(to: count + elements.count) }
        for element in elements {
            memory[count] = element
            count += 1
        }
    }

    private mutating func grow(to least: Int) {
        capacity = max(least, capacity + capacity / 2)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = larger
    }

    /// Takes the elements, and leaves none.
    mutating func takeFrozen() -> FrozenArray<Element> {
        var taken = GrowingArray()
        swap(&taken, &self)
        return taken.frozen()
    }

    consuming func frozen() -> FrozenArray<Element> {
        let array = FrozenArray(adopting: memory, count: count)
        discard self
        return array
    }
}

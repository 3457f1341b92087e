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

    consuming func frozen() -> FrozenArray<Element> {
        let array = FrozenArray(adopting: memory, count: count)
        discard self
        return array
    }
}

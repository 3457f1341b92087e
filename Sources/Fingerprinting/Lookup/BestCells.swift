/// The cells with the most votes seen so far, with a rising bar that keeps the list short.
struct BestCells: Sendable {
    private static let mostVotes = 4095
    private let capacity: Int
    private var cells: [VotedCell] = []
    private var cellsWithVotes = [Int](repeating: 0, count: BestCells.mostVotes + 1)
    /// How many of the cells are above the bar.
    private var cellsAbove = 0
    /// The bar: only more votes than this are of interest, as enough cells have them.
    private(set) var least: UInt16 = 2

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        cells.reserveCapacity(8 * self.capacity)
    }

    mutating func insert(_ cell: VotedCell) {
        cells.append(cell)
        cellsWithVotes[min(Int(cell.votes), Self.mostVotes)] += 1
        cellsAbove += 1
        while Int(least) + 1 < Self.mostVotes, cellsAbove - cellsWithVotes[Int(least) + 1] >= capacity {
            least += 1
            cellsAbove -= cellsWithVotes[Int(least)]
        }
        if cells.count >= 8 * capacity, cellsAbove < 4 * capacity {
            let bar = least
            cells.removeAll { $0.votes <= bar }
        }
    }

    /// The best `most` cells that do not overlap.
    func distinct(_ most: Int) -> [VotedCell] {
        var chosen: [VotedCell] = []
        for cell in cells.lazy.filter({ $0.votes > least }).sorted(by: VotedCell.precedes) {
            if chosen.count == most { break }
            let overlaps = chosen.contains {
                abs(Int($0.cell) - Int(cell.cell)) <= 1 && abs(Int($0.plane) - Int(cell.plane)) <= 1
            }
            if !overlaps { chosen.append(cell) }
        }
        return chosen
    }
}

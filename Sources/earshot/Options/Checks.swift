import ArgumentParser
import SystemIO

/// Throws where the value of `option` is given and outside `range`.
func require<Value: Comparable>(
    _ option: String, _ value: Value?, in range: ClosedRange<Value>, unit: String? = nil
) throws {
    guard let value, !range.contains(value) else { return }
    func text(_ bound: Value) -> String { (bound as? Double).map(formatNumber) ?? "\(bound)" }
    let bounds = "\(text(range.lowerBound))...\(text(range.upperBound))"
    throw ValidationError("\(option) \(value) is not in \(bounds)\(unit.map { " \($0)" } ?? "")")
}

/// Throws where the value of `option` is given and not above 0, or above `most`.
func require(_ option: String, _ value: Double?, atMost most: Int) throws {
    guard let value, !(value > 0 && value <= Double(most)) else { return }
    throw ValidationError("\(option) \(value) is not above 0 and at most \(most)")
}

/// Throws where options contradict each other or one is missing.
func reject(if isWrong: Bool, _ problem: String) throws { if isWrong { throw ValidationError(problem) } }

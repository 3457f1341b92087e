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

/// Throws where any of `options` is given in a mode that does not use it, such as "with --answers".
func refuse(_ options: [String], _ mode: String, remedy: String = "Remove it") throws {
    guard let option = options.first(where: CommandWords.given.contains) else { return }
    throw ValidationError("\(option) has no effect \(mode). \(remedy).")
}

/// Throws where an option is given that a mode does not use: all but `used`, and those that change only times or safety.
func allow(only used: [String], _ mode: String) throws {
    try refuse(CommandWords.given.subtracting(used + ["--jobs", "--sandbox", "--no-sandbox"]).sorted(), mode)
}

/// Throws where any of `options` is given without one of `owners`.
func require(_ options: [String], with owners: String...) throws {
    guard CommandWords.given.isDisjoint(with: owners) else { return }
    guard let option = options.first(where: CommandWords.given.contains) else { return }
    throw ValidationError("\(option) belongs to \(owners.joined(separator: " or ")), which is missing.")
}

/// Throws where `option` and one of `others` are given.
func exclude(_ option: String, _ others: String...) throws {
    guard CommandWords.given.contains(option), let other = others.first(where: CommandWords.given.contains)
    else { return }
    throw ValidationError("\(other) and \(option) exclude each other. Remove one.")
}

/// Texts that occur often, each told by its place in one list.
struct NameTable {
    private(set) var names: [String] = []
    private var places: [String: Int] = [:]

    /// The place of `name`, which is added when it is new.
    mutating func place(of name: String) -> Int {
        if let place = places[name] { return place }
        places[name] = names.count
        names.append(name)
        return names.count - 1
    }
}

/// Texts that differ in their digits only, such as the chains of one condition: a template and the digits of each.
struct DigitTemplates {
    /// Each template as the texts between its runs of digits.
    private(set) var templates: [[String]] = []
    private var places: [[String]: Int] = [:]

    /// The place of the template of `text`, then its runs of digits, all parted by blanks.
    mutating func code(_ text: String) -> String {
        var between = [""]
        var runs: [String] = []
        var isInRun = false
        for scalar in text.unicodeScalars {
            let isDigit = ("0"..."9").contains(scalar)
            if isDigit, !isInRun {
                runs.append("")
                between.append("")
            }
            if isDigit {
                runs[runs.count - 1].unicodeScalars.append(scalar)
            } else {
                between[between.count - 1].unicodeScalars.append(scalar)
            }
            isInRun = isDigit
        }
        let place = places[between] ?? templates.count
        if place == templates.count {
            places[between] = place
            templates.append(between)
        }
        return ([String(place)] + runs).joined(separator: " ")
    }
}

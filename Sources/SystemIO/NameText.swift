import Foundation

/// The text in lower case, without blanks, safe in a shell and in names of files.
package func slug(_ text: String) -> String {
    var slug = ""
    for character in text.lowercased() {
        switch character {
        case "a"..."z", "0"..."9", "+", "-", ".", "_": slug.append(character)
        case "%": slug += "pct"
        case "×": slug += "x"
        default: if !slug.hasSuffix("-") { slug.append("-") }
        }
    }
    while slug.hasSuffix("-") { slug.removeLast() }
    return slug
}

/// The number with `digits` digits after the point, and no minus sign before a zero.
package func formatNumber(_ value: Double, digits: Int) -> String {
    let text = String(format: "%.\(digits)f", value)
    return text.hasPrefix("-") && !text.contains { ("1"..."9").contains($0) }
        ? String(text.dropFirst()) : text
}

/// The number without trailing zeros: `5` for 5.0, `0.5` for 0.5.
package func formatNumber(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
    return String(value)
}

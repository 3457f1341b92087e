import SystemIO
import Testing

struct CSVFieldTests {
    /// What spreadsheets compute, also with the full-width signs of East Asian input; + and - begin numbers, too.
    @Test("Whatever a spreadsheet would compute is a formula, and a number is none")
    func formulasAreKnown() {
        let signs = ["=", "@", "+", "-", "\u{FF1D}", "\u{FF20}", "\u{FF0B}", "\u{FF0D}", "\n", "\r", "\t"]
        for sign in signs { #expect(CSVField.isFormula(sign + "cmd|x"), "\(sign.debugDescription)") }
        for text in ["", "-10 dB", "+1", "a=1", "-1", " ="] { #expect(!CSVField.isFormula(text), "\(text)") }
    }
}

/// Text as one word of a POSIX shell, for commands that a reader copies.
public enum ShellWord {
    /// `text` as it is where that is safe, else in single quotes.
    public static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ",", ":", "@", "%", "=": true
            default: false
            }
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

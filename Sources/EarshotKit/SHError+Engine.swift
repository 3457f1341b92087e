import AudioIO
import Fingerprinting

extension SHError {
    /// What the engine or a file reported, under `code`; an `SHError` stays as it is.
    package init(_ code: Code, because error: any Error) {
        self = error as? SHError ?? SHError(code, message: "\(error)")
    }

    /// Runs `body`; what it throws becomes an error of the given code.
    static func mapping<R>(to code: Code, _ body: () throws -> R) throws(SHError) -> R {
        do { return try body() } catch { throw SHError(code, because: error) }
    }
}

/// The program's permission to record.
public final class AVAudioApplication: NSObject, Sendable {
    /// Whether a program may record; lower-case as Apple's is.
    public enum recordPermission: Int, Sendable {
        /// Nobody was asked yet.
        case undetermined = 0x756E_6474
        /// The user said no.
        case denied = 0x6465_6E79
        /// The user said yes.
        case granted = 0x6772_6E74
    }

    /// The program.
    public static let shared = AVAudioApplication()

    private override init() {}

    /// Always granted: Linux asks nobody, and the sound server decides when it is asked to record.
    public var recordPermission: recordPermission { .granted }

    /// Calls `completionHandler` with true, on the caller's thread and before it returns.
    public class func requestRecordPermission(completionHandler: @escaping (Bool) -> Void) {
        completionHandler(true)
    }

    /// Always true.
    public class func requestRecordPermission() async -> Bool { true }
}

import Fingerprinting

/// Runs libFuzzer on the readers of signature and catalog files.
///
/// The first byte of an input selects the kind of file and the trial; the rest is the file.
@main
enum CatalogFiles {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = runDriver(&count, &arguments) { bytes, count in
            FileTrial.run(UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private static func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ trial: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
}

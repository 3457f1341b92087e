// swift-format-ignore-file
import ShazamKit

enum Readiness { case tooShort(TimeInterval), tooLong(TimeInterval), ready }
func readiness(_ s: SHSignature, for catalog: SHCatalog) -> Readiness {
    if s.duration < catalog.minimumQuerySignatureDuration { return .tooShort(catalog.minimumQuerySignatureDuration - s.duration) }
    if s.duration > catalog.maximumQuerySignatureDuration { return .tooLong(s.duration - catalog.maximumQuerySignatureDuration) }
    return .ready
}

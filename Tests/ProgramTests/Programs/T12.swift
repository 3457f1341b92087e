// swift-format-ignore-file
import ShazamKit
import AVFAudio

func classify(_ work: () throws -> Void) -> String {
    do { try work(); return "ok" }
    catch SHError.signatureDurationInvalid { return "duration" }
    catch SHError.customCatalogInvalid, SHError.customCatalogInvalidURL { return "catalog" }
    catch let error as SHError where error.code == .audioDiscontinuity { return "gap" }
    catch let error as SHError {
        switch error.code {
        case .invalidAudioFormat: return "format"
        case .signatureInvalid: return "silence?"
        default: return "code \(error.code.rawValue) / \(error.errorCode) in \(SHError.errorDomain)"
        }
    }
    catch { return "other" }
}
func legacyClassify(_ error: any Error) -> Bool {
    let e = error as NSError
    return e.domain == SHErrorDomain && e.code == SHError.Code.signatureDurationInvalid.rawValue && e.code == 201
}

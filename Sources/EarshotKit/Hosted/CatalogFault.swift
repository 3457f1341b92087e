/// The one form of an error in answers of a server: what is wrong, and what to do.
package struct CatalogFault: Error, Codable, Equatable, CustomStringConvertible {
    package enum Code: String, Codable, CaseIterable, Sendable {
        case badRequest
        case signatureInvalid
        case audioInvalid
        case tokenMissing
        case tokenWrong
        case rightMissing
        case notFound
        case methodNotAllowed
        case requestTimeout
        case analysisDiffers
        case referenceExists
        case readOnly
        case audioRefused
        case hostUnknown
        case bodyTooLarge
        case durationInvalid
        case tooManyRequests
        case internalError
        case catalogDamaged
        case overloaded
        case storageFull
        case partLoop
    }

    package let code: Code
    package let message: String
    package let remedy: String

    package init(_ code: Code, _ message: String, remedy: String) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    package var description: String { "\(message). \(remedy)" }

    package struct Body: Codable {
        package let error: CatalogFault

        package init(error: CatalogFault) { self.error = error }
    }
}

extension CatalogFault {
    /// The status of HTTP.
    package var status: Int { code.status }

    /// The error for programs.
    var shError: SHError {
        let code: SHError.Code =
            switch self.code {
            case .signatureInvalid: .signatureInvalid
            case .bodyTooLarge, .durationInvalid: .signatureDurationInvalid
            default: .matchAttemptFailed
            }
        return SHError(code, message: "\(self)")
    }
}

extension CatalogFault.Code {
    package var status: Int {
        switch self {
        case .badRequest, .signatureInvalid, .audioInvalid: 400
        case .tokenMissing, .tokenWrong: 401
        case .rightMissing, .readOnly, .audioRefused: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .analysisDiffers, .referenceExists: 409
        case .bodyTooLarge: 413
        case .hostUnknown: 421
        case .durationInvalid: 422
        case .tooManyRequests: 429
        case .internalError: 500
        case .catalogDamaged, .overloaded: 503
        case .storageFull: 507
        case .partLoop: 508
        }
    }
}

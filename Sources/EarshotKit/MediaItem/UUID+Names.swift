import Fingerprinting
import SystemIO

/// Identifiers derived from names (UUID version 5, RFC 9562).
extension UUID {
    private static let space: [UInt8] = [
        0x5C, 0x0E, 0x9E, 0x6B, 0x1D, 0x3F, 0x4B, 0x27, 0x9A, 0x41, 0x74, 0x8E, 0xD2, 0xB0, 0x63, 0xF5,
    ]

    /// The identifier of a media item in a catalog; its name is that of the recording, a number and the properties.
    ///
    /// - Parameter number: Tells items with equal properties apart.
    package static func ofItem(_ item: MediaItem, _ number: Int, ofRecording name: [UInt8]) -> UUID {
        UUID(name: name + Array("/\(number)/".utf8) + ((try? item.encoded()) ?? []))
    }

    /// The identifier of the basic item of a reference, given when no item of its own applies.
    static func ofBasicItem(ofReference id: String) -> UUID { UUID(name: Array("\(id)/-1".utf8)) }

    /// The identifier of a media item outside any catalog; its name is the encoded properties.
    static func ofProperties(_ item: MediaItem) -> UUID {
        // Properties from a file or a program always have an encoding.
        UUID(name: (try? item.encoded()) ?? [])
    }

    /// The identifier of a signature; its name is the encoded signature.
    static func ofSignature(_ signature: Signature) -> UUID { UUID(name: signature.encoded()) }

    private init(name: [UInt8]) {
        var bytes = Digest.sha1(Self.space + name)
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}

/// The identifiers of a reference's media items.
struct ItemIdentifiers {
    private var taken: Set<UUID>
    /// The least number that may be free, by the identifier of the number 0.
    private var numbers: [UUID: Int] = [:]

    init(taken: some Sequence<UUID>) { self.taken = Set(taken) }

    /// Takes an identifier, if it is free.
    mutating func take(_ id: UUID) -> Bool { taken.insert(id).inserted }

    /// Takes the first free identifier of a media item.
    mutating func next(of item: MediaItem, ofRecording name: [UInt8]) -> UUID {
        let first = UUID.ofItem(item, 0, ofRecording: name)
        var number = numbers[first] ?? 0
        while true {
            let id = number == 0 ? first : .ofItem(item, number, ofRecording: name)
            number += 1
            guard taken.insert(id).inserted else { continue }
            numbers[first] = number
            return id
        }
    }
}

// swift-format-ignore-file
import ShazamKit

func roundTrip(_ match: SHMatch) throws -> SHMatch? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: match, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: SHMatch.self, from: data)
}
func unique(_ items: [SHMediaItem]) -> [UUID] { Array(Set(items)).map(\.id) }
func clone(_ s: SHSignature) -> SHSignature { s.copy() as! SHSignature }

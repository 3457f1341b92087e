import ShazamKit

func count(_ signature: SHSignature) async throws -> Int {
    var count = 0
    let slices = try signature.slices(from: 0, duration: 5)
    for await _ in slices { count += 1 }
    return count
}

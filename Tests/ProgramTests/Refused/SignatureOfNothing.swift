import ShazamKit

let signature = SHSignature()

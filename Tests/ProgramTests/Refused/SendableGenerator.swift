import ShazamKit

func share(_ value: some Sendable) {}
func shareGenerator() { share(SHSignatureGenerator()) }

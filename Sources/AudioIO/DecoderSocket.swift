import Foundation
import Glibc
import SystemIO

/// One end of the socket between a decoder and its parent.
///
/// Each record is a head of numbers, the first of which is its kind, and for some a body: a value as JSON.
final class DecoderSocket {
    enum Kind: Int {
        /// How a decoder ended: a signal, an exit code, or the error number of the system that could not start it.
        case died
        /// To the decoder: which file to read, and how.
        case request
        /// A file is open: its facts.
        case opened
        /// Frames: their number, 1 for 16-bit integers, 1 if the parent has the samples, and their place in the ring.
        case unit
        /// To the decoder: a place in the ring is free again.
        case free
        /// Damage or a remark.
        case news
        /// To the decoder: what do the tags say? From it: that.
        case tags
        /// To the parent: decode with another program.
        case decode
        /// To the parent: read from that program. From it: the number of frames.
        case read
        /// An error of the file.
        case failed
        /// The end of the file.
        case ended
    }

    /// A record without its body.
    struct Record {
        let kind: Kind
        let numbers: [Int]
        let bodyCount: Int
    }

    enum Problem: Error { case closed, nonsense, stalled }

    private static let headCount = 8
    private static let headBytes = headCount * MemoryLayout<Int>.stride
    private static let longestBody = 1 << 16

    private let descriptor: Int32
    private var room = [UInt8](repeating: 0, count: headBytes + longestBody)

    /// - Parameter stallSeconds: How long to wait for a record, and for room to send one; nil waits for ever.
    init(_ descriptor: Int32, stallSeconds: Double? = nil) {
        self.descriptor = descriptor
        guard let stallSeconds else { return }
        var limit = timeval()
        limit.tv_sec = Int(bounded: stallSeconds)
        limit.tv_usec = Int(bounded: stallSeconds * 1e6) % 1_000_000
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    func send(_ kind: Kind, _ numbers: Int...) throws(Problem) { try put(kind, numbers, []) }

    func send(_ kind: Kind, value: some Encodable) throws(Problem) {
        guard let text = try? JSONEncoder().encode(value), text.count <= Self.longestBody else {
            throw .nonsense
        }
        try put(kind, [], [UInt8](text))
    }

    private func put(_ kind: Kind, _ numbers: [Int], _ body: [UInt8]) throws(Problem) {
        var head = [kind.rawValue] + numbers
        head += [Int](repeating: 0, count: Self.headCount - head.count)
        let count = head.withUnsafeMutableBytes { head in
            body.withUnsafeBytes { body in
                var parts = [
                    iovec(iov_base: head.baseAddress, iov_len: head.count),
                    iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count),
                ]
                return parts.withUnsafeMutableBufferPointer { parts in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (parts.baseAddress, parts.count)
                    while true {
                        let count = sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
                        if count >= 0 || errno != EINTR { return count }
                    }
                }
            }
        }
        guard count == Self.headBytes + body.count else {
            throw count < 0 && errno == EAGAIN ? .stalled : .closed
        }
    }

    /// Waits for a record.
    func receive() throws(Problem) -> Record {
        let count = room.withUnsafeMutableBytes { room in
            while true {
                let count = read(descriptor, room.baseAddress, room.count)
                // An end that closes before it has read everything resets the socket once. What it sent before is still there.
                if count >= 0 || (errno != EINTR && errno != ECONNRESET) { return count }
            }
        }
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? .stalled : .closed }
        let numbers = room.withUnsafeBytes { Array($0.prefix(Self.headBytes).bindMemory(to: Int.self)) }
        guard count >= Self.headBytes, let kind = Kind(rawValue: numbers[0]) else { throw .nonsense }
        return Record(kind: kind, numbers: Array(numbers[1...]), bodyCount: count - Self.headBytes)
    }

    /// The value that the body of the last record is.
    func value<Value: Decodable>(of record: Record, as type: Value.Type) throws(Problem) -> Value {
        let text = Data(room[Self.headBytes..<(Self.headBytes + record.bodyCount)])
        guard let value = try? JSONDecoder().decode(type, from: text) else { throw .nonsense }
        return value
    }
}

/// The memory through which samples go from a decoder to its parent, in places of equal length that are used in turn.
struct DecoderRing {
    static let byteCount = 1 << 23
    private static let placeCount = 4
    /// Few records for much sound, which still fits into the caches of processors.
    private static let mostPlaceBytes = 1 << 18

    private let memory: SharedMemory

    init(_ memory: SharedMemory) { self.memory = memory }

    /// How many frames of floats have room in a place.
    static func placeFrames(channelCount: Int) -> Int {
        let unitBytes = SoundFile.unitFrames * channelCount * MemoryLayout<Float>.stride
        return SoundFile.unitFrames * max(1, mostPlaceBytes / unitBytes)
    }

    /// The place of a number from 0 on; nil if the memory has no such place.
    func place(_ number: Int, channelCount: Int) -> UnsafeMutableRawBufferPointer? {
        let byteCount =
            Self.placeFrames(channelCount: channelCount) * channelCount * MemoryLayout<Float>.stride
        guard number >= 0, (number % Self.placeCount + 1) * byteCount <= memory.bytes.count else {
            return nil
        }
        let start = number % Self.placeCount * byteCount
        return UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<(start + byteCount)])
    }

    /// Whether the decoder must wait before it fills the place of this number.
    static func isFull(_ number: Int, freed: Int) -> Bool { number - freed >= placeCount }
}

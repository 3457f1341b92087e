import AudioCore

/// A file whose frames are decoded when they are asked for.
///
/// Memory does not grow with the file. Parts in order of time need one pass over it. A part that begins more than two
/// seconds before the last one needs a new pass.
package final class AudioFileParts: FrameSource {
    package let sampleRate: Int

    /// What stays in memory before the beginning of the last part.
    private static let keptSeconds = 2
    private static let blockFrames = 1 << 16

    private let path: String
    private let channelCount: Int
    private var reader: AudioFileReader
    /// The latest blocks.
    private var blocks: [AudioBuffer] = []
    /// The frame at which the blocks begin, and the one at which they end.
    private var (first, end) = (0, 0)
    private var counted: Int?

    /// - Throws: ``AudioFileError`` if the file cannot be opened as audio.
    package init(path: String) throws {
        self.path = path
        reader = try AudioFileReader(path: path)
        sampleRate = reader.sampleRate
        channelCount = reader.channelCount
    }

    /// The number of frames; the first time, all of the file is decoded.
    package var frameCount: Int {
        get throws {
            if let counted { return counted }
            let count = try AudioFileReader(path: path).skip()
            counted = count
            return count
        }
    }

    /// The frames of `range`, fewer if the file ends before.
    package func frames(_ range: Range<Int>) throws -> AudioBuffer {
        if range.lowerBound < first {
            reader = try AudioFileReader(path: path)
            (blocks, first, end) = ([], 0, 0)
        }
        dropBlocks(before: range.lowerBound)
        while end < range.upperBound, let block = try reader.read(maxFrames: Self.blockFrames) {
            blocks.append(block)
            end += block.frameCount
            dropBlocks(before: range.lowerBound)
        }
        var planes: [Float] = []
        for channel in 0..<channelCount {
            var start = first
            for block in blocks {
                let part = range.clamped(to: start..<start + block.frameCount)
                block.withChannel(channel) {
                    planes += $0[part.lowerBound - start..<part.upperBound - start]
                }
                start += block.frameCount
            }
        }
        return AudioBuffer(samples: planes, sampleRate: sampleRate, channelCount: channelCount)
    }

    private func dropBlocks(before frame: Int) {
        while let block = blocks.first, first + block.frameCount <= frame - Self.keptSeconds * sampleRate {
            blocks.removeFirst()
            first += block.frameCount
        }
    }
}

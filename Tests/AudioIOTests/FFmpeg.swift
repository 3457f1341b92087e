import Foundation
import Testing

/// Runs `ffmpeg`, which `scripts/setup.sh ffmpeg` installs.
func ffmpeg(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "ffmpeg is needed for this test")
}

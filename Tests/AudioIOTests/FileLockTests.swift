import Glibc
import SystemIO
import TestSupport
import Testing

struct FileLockTests {
    @Test func aLockHasOneOwner() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lock")
        try withExtendedLifetime(FileLock(path)) {
            #expect(throws: FileLock.Failure.self) { try FileLock(path) }
        }
    }

    /// A child process that another thread starts holds such a copy for a moment.
    @Test func aCopyOfTheDescriptorDoesNotKeepTheLock() throws {
        let folder = try TemporaryFolder()
        var lock: FileLock? = try FileLock(folder.file("lock"))
        let copy = dup(try #require(lock).descriptor)
        defer { close(copy) }
        lock = nil
        #expect(throws: Never.self) { try FileLock(folder.file("lock")) }
    }
}

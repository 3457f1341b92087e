internal import CConfinement
@preconcurrency import Glibc

package enum ProcessStart {
    package enum Stream {
        case descriptor(Int32)
        /// A file to be opened, with the flags of `open`.
        case file(String, flags: Int32)
    }

    package struct Failure: Error, CustomStringConvertible {
        package let code: Int32

        package var isMissing: Bool { code == ENOENT }
        package var description: String { String(cString: strerror(code)) }
    }

    /// Starts `program`, which is searched for in PATH unless it has a slash.
    ///
    /// - Parameters:
    ///   - streams: Standard input, output and error.
    ///   - environment: Additions and replacements, as `NAME=value`.
    ///   - inherited: The names of all other variables that it gets; nil for those of this process. With limits it gets few:
    ///     none has a secret.
    ///   - leadsGroup: Makes it the leader of a new process group, with no signal blocked or ignored. Threads of a
    ///     pool block signals, and a child would inherit that.
    ///   - limits: The most that it may use. It leads no group then.
    /// - Throws: ``Failure`` when there is no such program, or no room for another process.
    package static func spawn(
        _ program: String, _ arguments: [String], streams: [Stream], environment: [String] = [],
        inheriting inherited: [String]? = nil, leadsGroup: Bool = false, limits: ProcessLimits? = nil
    ) throws(Failure) -> pid_t {
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var settings = Self.environment(
            with: environment, of: limits == nil ? inherited : Self.neededByConfined)
        defer { for word in words + settings { free(word) } }
        if let limits { return try spawn(program, words, streams, settings, limits) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() {
            switch stream {
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            case .file(let path, let flags):
                posix_spawn_file_actions_addopen(&actions, Int32(number), path, flags, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if leadsGroup {
            var (none, all) = (sigset_t(), sigset_t())
            sigemptyset(&none)
            sigfillset(&all)
            posix_spawnattr_setpgroup(&attributes, 0)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setsigdefault(&attributes, &all)
            posix_spawnattr_setflags(
                &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        }
        var child: pid_t = 0
        let code = posix_spawnp(&child, program, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw Failure(code: code) }
        return child
    }

    private static func spawn(
        _ program: String, _ words: [UnsafeMutablePointer<CChar>?], _ streams: [Stream],
        _ settings: [UnsafeMutablePointer<CChar>?], _ limits: ProcessLimits
    ) throws(Failure) -> pid_t {
        var descriptors: [Int32] = []
        var opened: [Int32] = []
        defer { for file in opened { close(file) } }
        for stream in streams {
            switch stream {
            case .descriptor(let descriptor): descriptors.append(descriptor)
            case .file(let path, let flags):
                let file = open(path, flags | O_CLOEXEC)
                guard file >= 0 else { throw Failure(code: errno) }
                opened.append(file)
                descriptors.append(file)
            }
        }
        var limits = limits.confinement
        var child: pid_t = 0
        let code = confinement_spawn(
            &child, program, words, settings, descriptors, Int32(descriptors.count), &limits)
        guard code == 0 else { throw Failure(code: code) }
        return child
    }

    /// A file in memory that has these bytes; a child can have it open.
    package static func file(with bytes: [UInt8]) throws(Failure) -> Int32 {
        let file = bytes.withUnsafeBytes { confinement_file($0.baseAddress, UInt($0.count)) }
        guard file >= 0 else { throw Failure(code: errno) }
        return file
    }

    /// Whether the kernel can confine processes.
    package static var canConfine: Bool { confinement_is_offered() }

    /// Has a child for each request at the socket `control`, whose other end asks with ``request(_:at:)``.
    ///
    /// It returns in each child, with the descriptors of the request, and never in this process itself.
    /// - Throws: ``Failure`` in a child that cannot be confined.
    package static func nurse(
        at control: Int32, limits: ProcessLimits
    ) throws(Failure) -> (socket: Int32, file: Int32, memory: Int32) {
        var limits = limits.confinement
        var descriptors: [Int32] = [-1, -1, -1]
        let code = confinement_nurse(control, &limits, &descriptors)
        guard code == 0 else { throw Failure(code: code) }
        return (descriptors[0], descriptors[1], descriptors[2])
    }

    /// Asks a nurse for a child that has the descriptors.
    package static func request(
        _ descriptors: (socket: Int32, file: Int32, memory: Int32), at control: Int32
    ) throws(Failure) {
        let code = confinement_request(control, [descriptors.socket, descriptors.file, descriptors.memory])
        guard code == 0 else { throw Failure(code: code) }
    }

    /// Two ends of a channel between processes, which no other program inherits.
    package static func socketPair(_ kind: __socket_type) throws(Failure) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure(code: errno)
        }
        return (ends[0], ends[1])
    }

    package static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Where programs and libraries are found.
    private static let neededByConfined = ["PATH", "LD_LIBRARY_PATH"]

    /// - Parameter kept: The names of what is inherited; nil for everything.
    private static func environment(
        with additions: [String], of kept: [String]?
    ) -> [UnsafeMutablePointer<CChar>?] {
        func hasName(_ entry: UnsafeMutablePointer<CChar>, in names: [String]) -> Bool {
            names.contains { strncmp(entry, $0 + "=", $0.utf8.count + 1) == 0 }
        }
        let replaced = additions.map { String($0.prefix { $0 != "=" }) }
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let entry = next.pointee {
            if kept.map({ hasName(entry, in: $0) }) ?? true, !hasName(entry, in: replaced) {
                entries.append(strdup(entry))
            }
            next += 1
        }
        return entries + additions.map { strdup($0) } + [nil]
    }
}

extension ProcessLimits {
    fileprivate var confinement: CConfinement.confinement {
        CConfinement.confinement(
            memory_bytes: memoryBytes, processor_seconds: processorSeconds, open_files: openFiles,
            filters: isConfined)
    }
}

import Glibc

/// The files, sockets and other descriptors that this process may have open at a time.
package enum OpenFiles {
    /// The lowest limit with which a command works.
    ///
    /// libdispatch ends the process by a signal where it cannot open one: for its events at the start, and later to read the
    /// states of its threads, up to once a second.
    package static let least = 32

    /// The limit; what the system calls unlimited is 65,536.
    package static var limit: Int { Int(min(limits.rlim_cur, 65_536)) }

    /// Raises the limit as far as the system lets this process.
    package static func raiseLimit() {
        var raised = limits
        raised.rlim_cur = raised.rlim_max
        setrlimit(resource, &raised)
    }

    /// How many are open, counted one by one, because /proc needs one too.
    package static var count: Int { (0..<limit).count { fcntl(Int32($0), F_GETFD) >= 0 } }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var limits: rlimit {
        var limits = rlimit()
        getrlimit(resource, &limits)
        return limits
    }
}

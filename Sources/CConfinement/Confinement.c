#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

enum { LONGEST = 400 };

struct program {
    struct sock_filter code[LONGEST];
    unsigned short length;
};

static void add(struct program *program, unsigned short code, unsigned int value, unsigned char yes,
                unsigned char no)
{
    if (program->length < LONGEST)
        program->code[program->length++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void allow(struct program *program, int call)
{
    add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/// Allows a call if an argument has these bits under a mask.
static void allow_if(struct program *program, int call, int argument, unsigned int mask, unsigned int bits)
{
    add(program, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5);
    // The lower half, as both kinds of processors store it first.
    add(program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument, 0, 0);
    add(program, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

/// Allows to start the program whose path stands at `path`, and ends the process that tries another.
///
/// The next program does not know this address, so it can start none.
static void allow_start(struct program *program, const char *path)
{
    const size_t first = offsetof(struct seccomp_data, args);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 6);
    add(program, BPF_LD | BPF_W | BPF_ABS, first, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)(uintptr_t)path, 0, 3);
    add(program, BPF_LD | BPF_W | BPF_ABS, first + 4, 0, 0);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)((uintptr_t)path >> 32), 0, 1);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    add(program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
}

/// What works on memory, on open files and on the process itself.
static const int inner[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_fstat,
    SYS_newfstatat, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_brk, SYS_madvise, SYS_futex,
    SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_sysinfo,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group, SYS_dup,
};

/// What else programs call while they start, and decoders with threads while they run.
static const int outer[] = {
    SYS_prctl, SYS_faccessat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_readlinkat, SYS_getcwd,
    SYS_getdents64, SYS_set_robust_list, SYS_set_tid_address, SYS_sched_getaffinity, SYS_getppid, SYS_getuid,
    SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_getrusage, SYS_times, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_ppoll, SYS_pselect6, SYS_pipe2, SYS_dup3, SYS_umask,
    SYS_getrlimit,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
// Older names of calls, which newer processors do not have.
#ifdef SYS_access
    SYS_access, SYS_stat, SYS_lstat, SYS_readlink, SYS_getdents, SYS_poll, SYS_select, SYS_pipe, SYS_dup2,
    SYS_time,
#endif
};

/// Installs a list of allowed calls; there is no call that removes it.
///
/// Others fail as calls that the kernel does not have, so that libraries do without.
///
/// - Parameter path: The program to start; NULL for a process that starts none and opens no file.
static int install(const char *path)
{
    struct program program = {.length = 0};
    add(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    add(&program, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    add(&program, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
        allow(&program, inner[i]);
    // To itself, which is how a process aborts.
    allow_if(&program, SYS_tgkill, 0, ~0u, (unsigned int)getpid());
    // What asks and sets flags: numbers below 8.
    allow_if(&program, SYS_fcntl, 1, ~7u, 0);
    // To its parent, without descriptors: it can open none.
    if (!path)
        allow(&program, SYS_sendmsg);
    if (path) {
        allow_start(&program, path);
        for (size_t i = 0; i < sizeof outer / sizeof *outer; i++)
            allow(&program, outer[i]);
        allow_if(&program, SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
        allow_if(&program, SYS_prlimit64, 0, ~0u, 0);
        allow_if(&program, SYS_ioctl, 1, ~0u, TCGETS);
        const unsigned int writes = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
        allow_if(&program, SYS_openat, 2, writes, O_RDONLY);
#ifdef SYS_open
        allow_if(&program, SYS_open, 1, writes, O_RDONLY);
#endif
    }
    add(&program, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return errno;
    return 0;
}

#else

static int install(const char *path)
{
    (void)path;
    return ENOSYS;
}

#endif

static int limit(int resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return errno;
    if (limit.rlim_max > most)
        limit.rlim_max = most;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

static int confine(const struct confinement *confinement, const char *program)
{
    int error = limit(RLIMIT_AS, confinement->memory_bytes);
    if (!error)
        error = limit(RLIMIT_CPU, confinement->processor_seconds);
    if (!error)
        error = limit(RLIMIT_NOFILE, confinement->open_files);
    if (!error)
        error = limit(RLIMIT_FSIZE, 0);
    if (!error)
        error = limit(RLIMIT_CORE, 0);
    if (!error && confinement->filters)
        error = install(program);
    return error;
}

enum { LONGEST_PATH = 4096 };

/// Finds a program as a shell does. Returns 0, or the system's error number.
static int find(const char *program, char *path)
{
    if (strchr(program, '/'))
        return snprintf(path, LONGEST_PATH, "%s", program) < LONGEST_PATH ? 0 : ENAMETOOLONG;
    const char *folders = getenv("PATH");
    int error = ENOENT;
    for (const char *folder = folders ? folders : "/usr/bin:/bin"; folder; folder = strchr(folder, ':')) {
        folder += *folder == ':';
        int length = (int)strcspn(folder, ":");
        int count = snprintf(path, LONGEST_PATH, "%.*s%s%s", length, folder, length ? "/" : "./", program);
        if (count < LONGEST_PATH && access(path, X_OK) == 0)
            return 0;
        if (errno == EACCES)
            error = EACCES;
    }
    return error;
}

/// Becomes the program; returns only an error.
static int become(const char *program, char *const *arguments, char *const *environment, const int *descriptors,
                  int count, const struct confinement *confinement, const sigset_t *blocked)
{
    int moved[count];
    for (int i = 0; i < count; i++) {
        moved[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, count);
        if (moved[i] < 0)
            return errno;
    }
    for (int i = 0; i < count; i++)
        if (dup2(moved[i], i) < 0)
            return errno;
    // Handlers would run in the parent's memory.
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) {
            action = (struct sigaction){.sa_handler = SIG_DFL};
            sigaction(number, &action, NULL);
        }
    }
    sigprocmask(SIG_SETMASK, blocked, NULL);
    int error = confine(confinement, program);
    if (error)
        return error;
    execve(program, arguments, environment);
    return errno;
}

int confinement_spawn(int *child, const char *name, char *const *arguments, char *const *environment,
                      const int *descriptors, int count, const struct confinement *confinement)
{
    // A place that the program cannot guess.
    uintptr_t place = 0;
    if (getrandom(&place, sizeof place, 0) < 0)
        return errno;
    char *program = mmap((void *)((place & 0x3FFFFFFFF000) + 0x100000000000), LONGEST_PATH, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (program == MAP_FAILED)
        return errno;
    int error = find(name, program);
    pid_t process = -1;
    if (!error) {
        sigset_t all, blocked;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &blocked);
        volatile int failure = 0;
        // The parent waits until the child is another program, so that they share memory without harm.
        process = vfork();
        if (process == 0) {
            failure = become(program, arguments, environment, descriptors, count, confinement, &blocked);
            _exit(127);
        }
        error = process < 0 ? errno : failure;
        pthread_sigmask(SIG_SETMASK, &blocked, NULL);
        if (process > 0 && error)
            while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
                ;
    }
    munmap(program, LONGEST_PATH);
    if (!error)
        *child = process;
    return error;
}

enum { GIVEN = 3 };

struct pupil {
    pid_t process;
    int socket;
};

/// Takes a request with its descriptors. Returns false at the end.
static bool receive(int control, int *descriptors)
{
    char byte;
    struct iovec body = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(GIVEN * sizeof(int))];
    } attached;
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = &attached, .msg_controllen = sizeof attached};
    ssize_t count;
    do
        count = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *header = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(GIVEN * sizeof(int)))
        return false;
    memcpy(descriptors, CMSG_DATA(header), GIVEN * sizeof(int));
    return true;
}

/// Says how children ended that did not end by themselves, and forgets all that ended.
static int bury(struct pupil *pupils, int count)
{
    int status;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < count; i++)
            if (pupils[i].process == process) {
                const long end[8] = {0, WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status)};
                if (status)
                    send(pupils[i].socket, end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT);
                close(pupils[i].socket);
                pupils[i] = pupils[--count];
                break;
            }
    return count;
}

bool confinement_is_offered(void)
{
#ifdef ARCHITECTURE
    const unsigned int action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return false;
#endif
}

int confinement_nurse(int control, const struct confinement *confinement, int *descriptors)
{
    enum { MOST = 4096 };
    static struct pupil pupils[MOST];
    static struct pollfd polled[MOST + 2];
    int count = 0;
    // What the terminal sends to all of its programs, and services to all of a group, is the parent's business.
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_SETMASK, &ends, NULL);
    int ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        polled[0] = (struct pollfd){count < MOST ? control : -1, POLLIN, 0};
        polled[1] = (struct pollfd){ended, POLLIN, 0};
        for (int i = 0; i < count; i++)
            polled[2 + i] = (struct pollfd){pupils[i].socket, 0, 0};
        if (poll(polled, (nfds_t)count + 2, -1) < 0)
            continue;
        // Nobody waits for the answer.
        for (int i = 0; i < count; i++)
            if (polled[2 + i].revents)
                kill(pupils[i].process, SIGKILL);
        struct signalfd_siginfo info;
        while (read(ended, &info, sizeof info) > 0)
            ;
        count = bury(pupils, count);
        if (!polled[0].revents)
            continue;
        if (!receive(control, descriptors)) {
            for (int i = 0; i < count; i++)
                kill(pupils[i].process, SIGKILL);
            _exit(0);
        }
        pid_t process = fork();
        if (process == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(control);
            close(ended);
            for (int i = 0; i < count; i++)
                close(pupils[i].socket);
            sigemptyset(&ends);
            sigprocmask(SIG_SETMASK, &ends, NULL);
            return confine(confinement, NULL);
        }
        close(descriptors[1]);
        close(descriptors[2]);
        if (process < 0) {
            const long end[8] = {0, 0, 0, errno};
            send(descriptors[0], end, sizeof end, MSG_NOSIGNAL | MSG_DONTWAIT);
            close(descriptors[0]);
        } else {
            pupils[count++] = (struct pupil){process, descriptors[0]};
        }
    }
}

int confinement_request(int control, const int *descriptors)
{
    char byte = 0;
    struct iovec body = {&byte, 1};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(GIVEN * sizeof(int))];
    } attached = {0};
    struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1, .msg_control = &attached, .msg_controllen = sizeof attached};
    attached.header.cmsg_level = SOL_SOCKET;
    attached.header.cmsg_type = SCM_RIGHTS;
    attached.header.cmsg_len = CMSG_LEN(GIVEN * sizeof(int));
    memcpy(CMSG_DATA(&attached.header), descriptors, GIVEN * sizeof(int));
    ssize_t count;
    do
        count = sendmsg(control, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count == 1 ? 0 : errno;
}

int confinement_file(const void *bytes, unsigned long count)
{
    int file = memfd_create("earshot", MFD_CLOEXEC);
    for (unsigned long written = 0; file >= 0 && written < count;) {
        ssize_t more = write(file, (const char *)bytes + written, count - written);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0) {
            close(file);
            return -1;
        }
        written += (unsigned long)more;
    }
    return file;
}

int confinement_memory(unsigned long count)
{
    int file = memfd_create("earshot", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Whoever cuts it would end the other process.
    if (file >= 0 && (ftruncate(file, (off_t)count) != 0
                      || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(file);
        return -1;
    }
    return file;
}

void confinement_close(bool closes) { prctl(PR_SET_DUMPABLE, closes ? 0 : 1, 0, 0, 0); }

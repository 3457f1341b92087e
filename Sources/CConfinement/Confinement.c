#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/// What works on memory, on open files and on the process itself.
static const int inner[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_write, SYS_writev, SYS_close, SYS_lseek, SYS_fstat,
    SYS_newfstatat, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_brk, SYS_madvise, SYS_futex,
    SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_sysinfo,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group,
};

/// What else programs call while they start, and decoders with threads while they run.
static const int outer[] = {
    SYS_execve, SYS_prctl, SYS_faccessat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_readlinkat, SYS_getcwd,
    SYS_getdents64, SYS_set_robust_list, SYS_set_tid_address, SYS_sched_getaffinity, SYS_getppid, SYS_getuid,
    SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_getrusage, SYS_times, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_ppoll, SYS_pselect6, SYS_pipe2, SYS_dup, SYS_dup3, SYS_umask,
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
static int install(bool starts, bool opens)
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
    if (starts) {
        for (size_t i = 0; i < sizeof outer / sizeof *outer; i++)
            allow(&program, outer[i]);
        allow_if(&program, SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
        allow_if(&program, SYS_prlimit64, 0, ~0u, 0);
        allow_if(&program, SYS_ioctl, 1, ~0u, TCGETS);
        // What asks and sets flags: numbers below 8.
        allow_if(&program, SYS_fcntl, 1, ~7u, 0);
    }
    if (starts || opens) {
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

static int install(bool starts, bool opens)
{
    (void)starts, (void)opens;
    return ENOSYS;
}

#endif

int confinement_close(bool opens) { return install(false, opens); }

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
        error = install(true, true);
    if (error)
        return error;
    execvpe(program, arguments, environment);
    return errno;
}

int confinement_spawn(int *child, const char *program, char *const *arguments, char *const *environment,
                      const int *descriptors, int count, const struct confinement *confinement)
{
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &blocked);
    volatile int failure = 0;
    // The parent waits until the child is another program, so that they share memory without harm.
    pid_t process = vfork();
    if (process == 0) {
        failure = become(program, arguments, environment, descriptors, count, confinement, &blocked);
        _exit(127);
    }
    int error = process < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    if (process > 0 && error)
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
            ;
    if (!error)
        *child = process;
    return error;
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

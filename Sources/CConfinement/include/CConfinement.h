#ifndef EARSHOT_CONFINEMENT_H
#define EARSHOT_CONFINEMENT_H

#include <stdbool.h>

/// What a program may use. It can write no files.
struct confinement {
    unsigned long memory_bytes;
    unsigned long processor_seconds;
    unsigned long open_files;
    /// Whether the kernel refuses what no decoder does: sockets, other processes and programs, and opening files to write.
    bool filters;
};

/// Starts a program, which PATH finds unless its name has a slash. It is confined before its first instruction.
///
/// - Parameter descriptors: What becomes its descriptors from 0 on.
/// - Returns: 0, or the system's error number.
int confinement_spawn(int *child, const char *program, char *const *arguments, char *const *environment,
                      const int *descriptors, int count, const struct confinement *confinement);

/// Has a child for each request at the socket `control`, until its other end is closed.
///
/// It reads nothing but requests, and a child nothing that another one has. A child whose socket has no other end any more is
/// killed. If a child does not end by itself, a record of eight numbers at its socket says so: 0, the signal or 0, the exit
/// code, and the system's error number if it could not be started.
///
/// - Parameter descriptors: The three of the request: a socket, a file and shared memory.
/// - Returns: In each child, which is confined, and can open and start nothing: 0, or the system's error number.
int confinement_nurse(int control, const struct confinement *confinement, int *descriptors);

/// Asks at the other end of `control` for a child that has these three descriptors. Returns 0, or the system's error number.
int confinement_request(int control, const int *descriptors);

/// Memory of `count` bytes, which stays as long, to be mapped by several processes; -1 if that fails.
int confinement_memory(unsigned long count);

/// Whether other programs of this user may look into this process: its environment, open files and memory.
void confinement_close(bool closes);

/// Whether the kernel offers filters of system calls.
bool confinement_is_offered(void);

/// A file in memory with `count` bytes, and -1 if that fails.
int confinement_file(const void *bytes, unsigned long count);

#endif

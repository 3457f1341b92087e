#ifndef EARSHOT_CONFINEMENT_H
#define EARSHOT_CONFINEMENT_H

#include <stdbool.h>

/// What a program may use. It can write no files.
struct confinement {
    unsigned long memory_bytes;
    unsigned long processor_seconds;
    unsigned long open_files;
    /// Whether the kernel refuses what no decoder does: sockets, other processes, and opening files to write.
    bool filters;
};

/// Starts a program, which PATH finds unless its name has a slash. It is confined before its first instruction.
///
/// - Parameter descriptors: What becomes its descriptors from 0 on.
/// - Returns: 0, or the system's error number.
int confinement_spawn(int *child, const char *program, char *const *arguments, char *const *environment,
                      const int *descriptors, int count, const struct confinement *confinement);

/// Lets this process only read and write what it has open, for good.
///
/// - Parameter opens: Whether it may open files to read.
/// - Returns: 0, or the system's error number.
int confinement_close(bool opens);

/// A file in memory with `count` bytes, and -1 if that fails.
int confinement_file(const void *bytes, unsigned long count);

#endif

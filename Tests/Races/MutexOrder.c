// Tells ThreadSanitizer how Swift's Mutex orders threads that wait for each other. That code is in the Swift
// runtime, which is not built with the sanitizer. Preload this library. It replaces these runtime functions:
// _lockSlow(UInt32), _tryLockSlow() and _unlockSlow() of Synchronization._MutexHandle.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

SWIFT void lockSlow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *mutex) {
    static SWIFT void (*runtime)(uint32_t, SELF void *);
    if (runtime == NULL) runtime = (SWIFT void (*)(uint32_t, SELF void *))next(LOCK);
    runtime(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool tryLockSlow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT bool tryLockSlow(SELF void *mutex) {
    static SWIFT bool (*runtime)(SELF void *);
    if (runtime == NULL) runtime = (SWIFT bool (*)(SELF void *))next(TRY_LOCK);
    bool isLocked = runtime(mutex);
    if (isLocked && __tsan_acquire) __tsan_acquire(mutex);
    return isLocked;
}

SWIFT void unlockSlow(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *mutex) {
    static SWIFT void (*runtime)(SELF void *);
    if (runtime == NULL) runtime = (SWIFT void (*)(SELF void *))next(UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    runtime(mutex);
}

/* What a program does to the files of one folder, recorded below every library, or made to fail from some point on.
 *
 * Loaded before a program (LD_PRELOAD); Linux alone, because a descriptor's file is asked of /proc. Settings:
 *   DISK_FOLDER   the folder; everything elsewhere passes untouched
 *   DISK_LOG      a file outside of it that gets each thing done, one record each, as "kind name offset size\n" and the bytes written
 *   DISK_FAILS    "N ERRNO": the N-th thing done and all that follow are refused with that error
 * Kinds: C made, O opened to be written, T cut to offset, W written, S waited for, U removed, R renamed (the new name is the bytes).
 * A full disk (ENOSPC) refuses only what needs room. Read next: `recorded_disk.py`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int log_file = -1;
static long fails_at = 0, done = 0;
static int fails_with = 0;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DISK_FOLDER"), *log = getenv("DISK_LOG"), *fails = getenv("DISK_FAILS");
    if (path != NULL && strlen(path) < sizeof folder)
        strcpy(folder, path);
    if (log != NULL)
        log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fails != NULL && sscanf(fails, "%ld %d", &fails_at, &fails_with) != 2)
        abort();
}

/* The file's name in the folder; NULL for every other file. The folder itself is ".". */
static const char *name_of_path(const char *path) {
    size_t length = strlen(folder);
    if (length == 0 || strncmp(path, folder, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *name_of(int file, char *path) {
    char link[64];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return NULL;
    path[length] = '\0';
    return name_of_path(path);
}

/* Counts one thing that is about to be done; whether it is refused. */
static int refused(int needs_room) {
    done++;
    if (fails_at == 0 || done < fails_at || (fails_with == ENOSPC && !needs_room))
        return 0;
    errno = fails_with;
    return 1;
}

static void put(const void *bytes, size_t size) {
    const char *next = bytes;
    while (size > 0) {
        ssize_t written = syscall(SYS_write, log_file, next, size);
        if (written <= 0)
            abort();
        next += written;
        size -= (size_t)written;
    }
}

static void note(char kind, const char *name, off_t offset, const void *bytes, size_t size) {
    char head[PATH_MAX + 64];
    int saved = errno;
    if (log_file < 0)
        return;
    put(head, (size_t)snprintf(head, sizeof head, "%c %s %lld %zu\n", kind, name, (long long)offset, size));
    put(bytes, size);
    errno = saved;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static ssize_t write_at(int file, const void *bytes, size_t size, off_t offset, int moves) {
    char path[PATH_MAX];
    const char *name = name_of(file, path);
    ssize_t written;
    if (name == NULL)
        return moves ? syscall(SYS_write, file, bytes, size) : syscall(SYS_pwrite64, file, bytes, size, offset);
    pthread_mutex_lock(&order);
    if (moves) {
        struct stat now;
        int appends = (fcntl(file, F_GETFL) & O_APPEND) != 0;
        offset = appends && fstat(file, &now) == 0 ? now.st_size : lseek(file, 0, SEEK_CUR);
    }
    if (refused(1))
        written = -1;
    else {
        written = moves ? syscall(SYS_write, file, bytes, size) : syscall(SYS_pwrite64, file, bytes, size, offset);
        if (written > 0)
            note('W', name, offset, bytes, (size_t)written);
    }
    pthread_mutex_unlock(&order);
    return written;
}

ssize_t write(int file, const void *bytes, size_t size) { return write_at(file, bytes, size, 0, 1); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return write_at(file, bytes, size, offset, 0);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    return write_at(file, bytes, size, offset, 0);
}

static int cut_to(int file, off_t length) {
    char path[PATH_MAX];
    const char *name = name_of(file, path);
    int result;
    if (name == NULL)
        return (int)syscall(SYS_ftruncate, file, length);
    pthread_mutex_lock(&order);
    result = refused(0) ? -1 : (int)syscall(SYS_ftruncate, file, length);
    if (result == 0)
        note('T', name, length, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int ftruncate(int file, off_t length) { return cut_to(file, length); }
int ftruncate64(int file, off64_t length) { return cut_to(file, length); }

static int waited_for(int file, long call) {
    char path[PATH_MAX];
    const char *name = name_of(file, path);
    int result;
    if (name == NULL)
        return (int)syscall(call, file);
    pthread_mutex_lock(&order);
    result = refused(0) ? -1 : (int)syscall(call, file);
    if (result == 0)
        note('S', name, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int fsync(int file) { return waited_for(file, SYS_fsync); }
int fdatasync(int file) { return waited_for(file, SYS_fdatasync); }

int unlink(const char *path) {
    const char *name = name_of_path(path);
    int result;
    if (name == NULL)
        return REAL(int, unlink, const char *)(path);
    pthread_mutex_lock(&order);
    result = refused(0) ? -1 : REAL(int, unlink, const char *)(path);
    if (result == 0)
        note('U', name, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int rename(const char *from, const char *to) {
    const char *old = name_of_path(from), *fresh = name_of_path(to);
    int result;
    if (old == NULL || fresh == NULL)
        return REAL(int, rename, const char *, const char *)(from, to);
    pthread_mutex_lock(&order);
    result = refused(0) ? -1 : REAL(int, rename, const char *, const char *)(from, to);
    if (result == 0)
        note('R', old, 0, fresh, strlen(fresh));
    pthread_mutex_unlock(&order);
    return result;
}

static int opened(const char *path, int flags, mode_t mode) {
    const char *name = name_of_path(path);
    int is_new, file, may_write = (flags & O_ACCMODE) != O_RDONLY;
    if (name == NULL || !(may_write || (flags & O_CREAT)))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&order);
    is_new = (flags & O_CREAT) && access(path, F_OK) != 0;
    file = refused(is_new) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= 0)
        note(is_new ? 'C' : (flags & O_TRUNC) ? 'T' : 'O', name, 0, NULL, 0);
    pthread_mutex_unlock(&order);
    return file;
}

#define OPEN(function)                                                                                                 \
    int function(const char *path, int flags, ...) {                                                                   \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list more;                                                                                              \
            va_start(more, flags);                                                                                     \
            mode = va_arg(more, mode_t);                                                                               \
            va_end(more);                                                                                              \
        }                                                                                                              \
        return opened(path, flags, mode);                                                                              \
    }
OPEN(open)
OPEN(open64)

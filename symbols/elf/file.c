/* SPDX-License-Identifier: MIT */
#include "symbols/elf/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* O_NONBLOCK: otherwise a FIFO in place of a library would block the tracer. */
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

static int status_of_errno(void)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return STATUS_NOENT;
	case EACCES:
	case EPERM:
		return STATUS_PERM;
	case ENXIO: /* a socket */
	case ELOOP:
		return STATUS_INVAL;
	default:
		return STATUS_IO;
	}
}

/* Accepts *fd if it is open and a regular file; else closes it and sets the error. */
static int accept_regular(int *fd, const char *path, struct err *e)
{
	struct stat st;
	int status = 0;

	if (*fd < 0)
		return err_errno(e, status_of_errno(), "cannot open '%s'", path);
	if (fstat(*fd, &st) < 0)
		status = err_errno(e, STATUS_IO, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		status = err_set(e, STATUS_INVAL, "'%s' is not a regular file", path);
	if (!status)
		return 0;
	close(*fd);
	*fd = -1;
	return status;
}

int file_open(const char *path, int *fd, struct err *e)
{
	*fd = open(path, OPEN_FLAGS);
	return accept_regular(fd, path, e);
}

/*
 * Absolute symbolic links must resolve below that root too; open(2) of
 * /proc/TID/root/PATH does not do that. Linux before 5.6 and some sandboxes have no
 * openat2(2): there open(2) is the fallback.
 */
int file_open_in_root(int tid, const char *path, int *fd, struct err *e)
{
	struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
	char name[4096 + 64];
	int root;

	snprintf(name, sizeof(name), "/proc/%d/root", tid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		*fd = -1;
		/* a zombie has no root */
		return errno == ENOENT || errno == ESRCH
			       ? err_set(e, STATUS_GONE, "process %d has ended", tid)
			       : err_errno(e, status_of_errno(), "cannot open '%s'",
					   path);
	}
	*fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (*fd < 0 && (errno == ENOSYS || errno == EPERM)) {
		snprintf(name, sizeof(name), "/proc/%d/root%s", tid, path);
		*fd = open(name, OPEN_FLAGS);
	}
	if (*fd >= 0)
		close(root);
	else {
		int saved = errno;

		close(root);
		errno = saved;
	}
	return accept_regular(fd, path, e);
}

const char *file_path_inside(int tid, const char *path)
{
	char link[64], root[4096];
	ssize_t n = -1;

	snprintf(link, sizeof(link), "/proc/%d/root", tid);
	if (tid)
		n = readlink(link, root, sizeof(root));
	if (n <= 1 || (size_t)n == sizeof(root) ||
	    strncmp(path, root, (size_t)n) != 0 || path[n] != '/')
		return path;
	return path + n;
}

/*
 * On overlayfs and btrfs the device number in maps differs from that of stat(2); there
 * only the inode number is compared.
 */
bool file_is_same(int fd, uint64_t dev, uint64_t ino)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_ino != ino)
		return false;
	if (st.st_dev == dev)
		return true;
	return fstatfs(fd, &fs) == 0 &&
	       (fs.f_type == BTRFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* Closes *fd, and returns false, if it is not the mapped file. */
static bool keep_same(int *fd, const struct mapped_file *m)
{
	if (file_is_same(*fd, m->dev, m->ino))
		return true;
	close(*fd);
	*fd = -1;
	return false;
}

/*
 * Three ways. /proc/TID/map_files leads to the mapped file whatever happened to its
 * name, but needs privileges. /proc/TID/exe does the same for the executable, for
 * everyone who may trace the process. The path is last, and its inode is checked.
 */
int file_open_mapped(const struct mapped_file *m, int *fd, struct err *e)
{
	struct err ignored;
	char name[96];
	int status;

	snprintf(name, sizeof(name), "/proc/%d/map_files/%llx-%llx", m->tid,
		 (unsigned long long)m->range.lo.v, (unsigned long long)m->range.hi.v);
	if (file_open(name, fd, &ignored) == 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/%d/exe", m->tid);
	if (m->is_exe && file_open(name, fd, &ignored) == 0 && keep_same(fd, m))
		return 0;
	status = file_open_in_root(m->tid, m->path, fd, e);
	if (status == 0 && keep_same(fd, m))
		return 0;
	if (status != 0 && status != STATUS_NOENT)
		return status;
	return err_set(e, STATUS_NOENT,
		       "cannot read '%s': it was deleted or replaced after process %d "
		       "mapped it; restart the process, or trace it as root",
		       m->path, m->tid);
}

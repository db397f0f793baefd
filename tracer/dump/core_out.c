/* SPDX-License-Identifier: MIT */
#include "tracer/dump/core_out.h"

#include "tracer/base/own_file.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct core_out *o, struct err *e)
{
	err_set(e, STATUS_IO, "%s", strerror(errno));
	core_out_close(o);
	return e->status;
}

static int open_folder(struct core_out *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = oom_strdup(slash ? path : ".");

	if (slash)
		folder[slash - path + 1] = 0;
	o->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	o->name = oom_strdup(slash ? slash + 1 : path);
	free(folder);
	return o->folder;
}

/* Whether there is a file; STATUS_PERM if it may not be replaced. */
static int look(const struct core_out *o, bool *exists, struct err *e)
{
	struct stat st;

	*exists = fstatat(o->folder, o->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (*exists && own_file_refusal(&st))
		return err_set(e, STATUS_PERM, "it exists, and is no file of yours");
	return 0;
}

/* A file with its name: not all file systems have others. */
static int open_named(const struct core_out *o)
{
	const int how = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(o->folder, o->name, how | O_CREAT | O_EXCL, 0600);
	struct stat st;

	if (fd >= 0 || errno != EEXIST)
		return fd;
	fd = openat(o->folder, o->name, how);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && !own_file_refusal(&st) && ftruncate(fd, 0) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int core_out_open(struct core_out *o, const char *path, struct err *e)
{
	bool exists;

	*o = CORE_OUT_NONE;
	if (open_folder(o, path) < 0)
		return fail(o, e);
	if (look(o, &exists, e)) {
		core_out_close(o);
		return e->status;
	}
	if (o->name[0])
		o->fd = openat(o->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	o->is_unnamed = o->fd >= 0;
	if (o->fd < 0)
		o->fd = open_named(o);
	return o->fd < 0 ? fail(o, e) : 0;
}

int core_out_keep(struct core_out *o, struct err *e)
{
	char own[32];
	bool exists;

	if (!o->is_unnamed)
		return 0;
	if (look(o, &exists, e))
		return e->status;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", o->fd);
	if (exists)
		unlinkat(o->folder, o->name, 0);
	if (linkat(AT_FDCWD, own, o->folder, o->name, AT_SYMLINK_FOLLOW) < 0)
		return err_set(e, STATUS_IO, "%s", strerror(errno));
	o->is_unnamed = false;
	return 0;
}

void core_out_remove(const struct core_out *o)
{
	struct stat ours, there;

	if (o->fd >= 0 && !o->is_unnamed && fstat(o->fd, &ours) == 0 &&
	    fstatat(o->folder, o->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
		unlinkat(o->folder, o->name, 0);
}

void core_out_close(struct core_out *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->folder >= 0)
		close(o->folder);
	free(o->name);
	*o = CORE_OUT_NONE;
}

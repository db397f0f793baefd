/* SPDX-License-Identifier: MIT */
#include "tracer/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define APPEND (O_WRONLY | O_APPEND | O_CLOEXEC)

const char *own_file_refusal(const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "it is a symbolic link";
	if (!S_ISREG(st->st_mode))
		return "it is no regular file";
	if (st->st_uid != geteuid())
		return "it belongs to another user";
	return st->st_nlink != 1 ? "the file has another name, too" : NULL;
}

/* The same where pipes and devices may be. */
static const char *refusal_of(const struct stat *st, enum own_file which)
{
	bool is_stream = S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode);

	if (which == OWN_FILE_STREAM && is_stream && st->st_uid == geteuid())
		return NULL;
	return own_file_refusal(st);
}

/* Whether the path names an entry of /dev itself: root makes these, as /dev/stderr. */
static bool is_device(const char *path)
{
	static const char dev[] = "/dev/", fd[] = "/dev/fd/";

	if (strncmp(path, fd, strlen(fd)) == 0)
		return !strchr(path + strlen(fd), '/');
	return strncmp(path, dev, strlen(dev)) == 0 && !strchr(path + strlen(dev), '/');
}

static int refuse(const char *why, struct err *e)
{
	return err_set(e, STATUS_PERM, "%s; -x freopen=any allows that", why);
}

/* A pipe is opened only if it is there before: that may wait for its reader. */
static int open_checked(const char *path, enum own_file which, struct err *e)
{
	struct stat before, st;
	bool exists = lstat(path, &before) == 0;
	const char *why = exists ? refusal_of(&before, which) : NULL;
	int how = APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY, fd;

	if (exists && S_ISDIR(before.st_mode))
		return err_set(e, STATUS_IO, "%s", strerror(EISDIR));
	if (why)
		return refuse(why, e);
	if (!exists || S_ISREG(before.st_mode))
		how |= O_NONBLOCK;
	fd = open(path, how, 0666);
	if (fd < 0 && errno == ELOOP)
		return refuse("it is a symbolic link", e);
	if (fd < 0)
		return err_set(e, STATUS_IO, "%s", strerror(errno));
	why = fstat(fd, &st) ? strerror(errno) : refusal_of(&st, which);
	if (!why)
		return fd;
	close(fd);
	return refuse(why, e);
}

int own_file_append(const char *path, enum own_file which, struct err *e)
{
	int fd;

	if (which == OWN_FILE_REGULAR || (which == OWN_FILE_STREAM && !is_device(path)))
		return open_checked(path, which, e);
	fd = open(path, APPEND | O_CREAT, 0666);
	return fd < 0 ? err_set(e, STATUS_IO, "%s", strerror(errno)) : fd;
}

bool own_file_remove(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 &&
	       S_ISREG(ours.st_mode) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino && unlink(path) == 0;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/plancache/folder.h"
#include "vm/base/host/fd.h"
#include "vm/base/host/log.h"
#include "vm/base/host/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEGUN	   "new." /* what the names of files begin with that are being written */
#define BEGUN_AGE  3600	  /* seconds: nobody writes them any more */
#define NAMES_MAX  100000 /* entries that are looked at */
#define PATH_BYTES 4096

struct kept {
	char name[NAME_MAX + 1];
	uint64_t bytes;
	struct timespec used;
};

struct kept_list {
	struct kept *data;
	size_t len, cap;
};

static bool is_own(int fd, mode_t type)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The folder that holds ours; it is made, but not what holds it. */
static int open_parent(void)
{
	const char *folder = secure_getenv("XDG_CACHE_HOME");
	char path[PATH_BYTES];
	int fd;

	if (folder && *folder == '/') {
		snprintf(path, sizeof(path), "%s", folder);
	} else {
		folder = secure_getenv("HOME");
		if (!folder || *folder != '/')
			return -1;
		snprintf(path, sizeof(path), "%s/.cache", folder);
	}
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !is_own(fd, S_IFDIR)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int folder_open(void)
{
	int parent = open_parent(), fd;

	if (parent < 0)
		return -1;
	mkdirat(parent, "dtrace", 0700);
	fd = openat(parent, "dtrace", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(parent);
	if (fd >= 0 && !is_own(fd, S_IFDIR)) {
		log_debug("plan", "the folder of plans is not used: others may write");
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A walk over the folder's entries of its own; NULL: it cannot be read. */
static DIR *walk(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

bool folder_has(int folder, const char *beginning)
{
	DIR *dir = folder < 0 ? NULL : walk(folder);
	size_t n = strlen(beginning), left = NAMES_MAX;
	const struct dirent *entry;
	bool is_found = false;

	while (dir && !is_found && left-- && (entry = readdir(dir)))
		is_found = strncmp(entry->d_name, beginning, n) == 0;
	if (dir)
		closedir(dir);
	return is_found;
}

int folder_open_file(int folder, const char *name, uint64_t *bytes)
{
	struct stat st;
	int fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!is_own(fd, S_IFREG) || fstat(fd, &st) < 0 || st.st_size <= 0 ||
	    (uint64_t)st.st_size > FOLDER_FILE_MAX) {
		close(fd);
		return -1;
	}
	futimens(fd, NULL);
	*bytes = (uint64_t)st.st_size;
	return fd;
}

static struct kept_list list_kept(int folder)
{
	DIR *dir = walk(folder);
	struct kept_list list = {0};
	size_t left = NAMES_MAX;
	const struct dirent *entry;
	struct stat st;

	while (dir && left-- && (entry = readdir(dir))) {
		struct kept *k;

		if (fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		k = vec_push(&list);
		snprintf(k->name, sizeof(k->name), "%s", entry->d_name);
		k->bytes = (uint64_t)st.st_size;
		k->used = st.st_mtim;
	}
	if (dir)
		closedir(dir);
	return list;
}

/* Those used last come first. */
static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	return (x->used.tv_nsec < y->used.tv_nsec) -
	       (x->used.tv_nsec > y->used.tv_nsec);
}

/* Files that a dtrace which was killed has left count too, until they are old. */
static void trim(int folder)
{
	struct kept_list list = list_kept(folder);
	time_t now = time(NULL);
	uint64_t bytes = 0;

	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), by_use);
	for (size_t i = 0; i < list.len; i++) {
		const struct kept *k = &list.data[i];
		bool is_begun = strncmp(k->name, BEGUN, strlen(BEGUN)) == 0;

		bytes += k->bytes;
		if (is_begun ? now - k->used.tv_sec > BEGUN_AGE
			     : bytes > FOLDER_ALL_MAX || i >= FOLDER_FILES)
			unlinkat(folder, k->name, 0);
	}
	vec_release(&list);
}

void folder_write(int folder, const char *name, const struct strbuf *content)
{
	static unsigned count;
	char begun[64];
	bool is_written;
	int fd;

	if (folder < 0 || content->len > FOLDER_FILE_MAX)
		return;
	snprintf(begun, sizeof(begun), BEGUN "%d.%u", (int)getpid(), count++);
	unlinkat(folder, begun, 0); /* of an earlier process with this number */
	fd = openat(folder, begun, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return;
	is_written = fd_write_all(fd, content->data, content->len);
	is_written = close(fd) == 0 && is_written;
	if (!is_written || renameat(folder, begun, folder, name) < 0)
		unlinkat(folder, begun, 0);
	else
		trim(folder);
}

void folder_remove(int folder, const char *name)
{
	if (folder >= 0)
		unlinkat(folder, name, 0);
}

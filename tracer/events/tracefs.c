/* SPDX-License-Identifier: MIT */
#include "tracer/events/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIST "available_events"

/* A directory that holds the list of tracepoints; -1: it does not. errno says why. */
static int open_directory(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int saved;

	if (dir < 0 || faccessat(dir, LIST, R_OK, 0) == 0)
		return dir;
	saved = errno;
	close(dir);
	errno = saved;
	return -1;
}

/* Where the table of mounts has it, if not at its usual place. */
static int open_mounted(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m;
	int dir = -1;

	if (!mounts)
		return -1;
	errno = ENOENT;
	while (dir < 0 && (m = getmntent(mounts)))
		if (strcmp(m->mnt_type, "tracefs") == 0)
			dir = open_directory(m->mnt_dir);
	endmntent(mounts);
	return dir;
}

int tracefs_open(struct err *e)
{
	int dir = open_directory("/sys/kernel/tracing");

	if (dir < 0 && errno == ENOENT)
		dir = open_mounted();
	if (dir >= 0)
		return dir;
	if (errno == EACCES || errno == EPERM)
		return err_set(
			e, STATUS_PERM,
			"the kernel's events are for root: run dtrace as root, or "
			"make /sys/kernel/tracing readable");
	return err_set(e, STATUS_NOENT,
		       "the kernel's events are not mounted: 'mount -t tracefs tracefs "
		       "/sys/kernel/tracing'");
}

static FILE *open_file(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "re");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

int tracefs_each(int dir, tracepoint_found *each, void *ctx, struct err *e)
{
	FILE *file = open_file(dir, LIST);
	char line[256];

	if (!file)
		return err_errno(e, STATUS_IO, "cannot list the kernel's events");
	while (fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		colon[1 + strcspn(colon + 1, "\n")] = '\0';
		each(ctx, line, colon + 1);
	}
	fclose(file);
	return 0;
}

int tracefs_format(int dir, const char *system, const char *event, struct strbuf *out,
		   struct err *e)
{
	char path[512], bytes[4096];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "events/%s/%s/format", system, event);
	file = strchr(system, '/') || strchr(event, '/') ? NULL : open_file(dir, path);
	if (!file)
		return err_errno(e, STATUS_IO, "cannot read the format of %s:%s",
				 system, event);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		strbuf_add(out, bytes, n);
	fclose(file);
	return 0;
}

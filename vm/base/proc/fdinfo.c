/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/fdinfo.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/helper.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNTS_MAX 4096 /* lines that are looked at: a process may have very many */

struct text_buffer {
	char *s;
	size_t cap;
};

/* The lines of /proc/PID/fdinfo/FD that are used; false: it is not open. */
struct open_file {
	long long offset;
	unsigned long flags;
	int mount;
};

static bool read_open_file(int pid, int fd, struct open_file *out)
{
	char path[64], line[128];
	FILE *f;

	*out = (struct open_file){.mount = -1};
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	f = fopen(path, "re");
	if (!f)
		return false;
	for (int i = 0; i < 4 && fgets(line, sizeof(line), f); i++)
		if (sscanf(line, "pos: %lld", &out->offset) != 1 &&
		    sscanf(line, "flags: %lo", &out->flags) != 1 &&
		    sscanf(line, "mnt_id: %d", &out->mount) != 1)
			break;
	fclose(f);
	return true;
}

static bool read_path(int pid, int fd, char *buf, size_t cap)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	n = readlink(path, buf, cap - 1);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Undoes the octal escapes of a field of mountinfo, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned c;

		if (*s == '\\' && strspn(s + 1, "01234567") >= 3 &&
		    sscanf(s + 1, "%3o", &c) == 1) {
			*to++ = (char)c;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Takes the wanted field out of a line of mountinfo (proc_pid_mountinfo(5)). */
static bool take_field(char *line, enum fdinfo what, char *buf, size_t cap)
{
	char *rest = line, *field = NULL, *fs = strstr(line, " - ");

	if (what == FDINFO_FS) {
		rest = fs ? fs + 3 : NULL;
		field = rest ? strtok_r(rest, " ", &rest) : NULL;
	}
	for (int i = 0; what == FDINFO_MOUNT && i < 5; i++)
		field = strtok_r(rest, " ", &rest);
	if (!field)
		return false;
	unescape(field);
	snprintf(buf, cap, "%s", field);
	return true;
}

static bool find_mount(int pid, int mount, enum fdinfo what, char *buf, size_t cap)
{
	char path[64], line[2 * PATH_MAX];
	bool found = false;
	int id;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", pid);
	f = fopen(path, "re");
	for (int i = 0; f && !found && i < MOUNTS_MAX && fgets(line, sizeof(line), f);
	     i++)
		found = sscanf(line, "%d ", &id) == 1 && id == mount &&
			take_field(line, what, buf, cap);
	if (f)
		fclose(f);
	return found;
}

/* Files of the kernel's own mounts: "pipe:[7]" is of pipefs, and mounted nowhere. */
static bool kernel_mount(int pid, int fd, enum fdinfo what, char *buf, size_t cap)
{
	char path[PATH_MAX];
	size_t n;

	if (!read_path(pid, fd, path, sizeof(path)) || path[0] == '/')
		return false;
	n = strcspn(path, ":");
	if (what == FDINFO_MOUNT)
		snprintf(buf, cap, "<none>");
	else if (strncmp(path, "socket", n) == 0)
		snprintf(buf, cap, "sockfs");
	else
		snprintf(buf, cap, "%.*sfs", (int)n, path);
	return true;
}

static bool read_directory(int pid, int fd, char *buf, size_t cap)
{
	char path[PATH_MAX], *slash;

	if (!read_path(pid, fd, path, sizeof(path)))
		return false;
	slash = path[0] == '/' ? strrchr(path, '/') : NULL;
	if (slash)
		slash[slash == path] = '\0';
	snprintf(buf, cap, "%s", path);
	return true;
}

/* mounts: the process in whose mounts the file is. */
static bool get_text(int pid, int mounts, int fd, enum fdinfo what,
		     struct text_buffer to)
{
	struct open_file file;

	if (what == FDINFO_PATH)
		return read_path(pid, fd, to.s, to.cap);
	if (what == FDINFO_DIR)
		return read_directory(pid, fd, to.s, to.cap);
	if (what != FDINFO_FS && what != FDINFO_MOUNT)
		return false;
	return kernel_mount(pid, fd, what, to.s, to.cap) ||
	       (read_open_file(pid, fd, &file) &&
		find_mount(mounts, file.mount, what, to.s, to.cap));
}

static int64_t get(int pid, int mounts, int fd, enum fdinfo what, struct text_buffer to)
{
	struct open_file file;
	bool is_open = fd >= 0 && read_open_file(pid, fd, &file);

	if (what == FDINFO_OFFSET)
		return is_open ? file.offset : 0;
	if (what == FDINFO_OFLAGS)
		return is_open ? (int64_t)file.flags : 0;
	if (to.cap && (!is_open || !get_text(pid, mounts, fd, what, to)))
		snprintf(to.s, to.cap, is_open ? "<unknown>" : "<none>");
	return 0;
}

int64_t fdinfo_get_copy(int pid, int fd, enum fdinfo what, char *buf, size_t cap)
{
	return get(getpid(), pid, fd, what, (struct text_buffer){buf, cap});
}

/* ---- by a helper ---- */

struct job {
	struct helper_job base;
	int pid, fd;
	enum fdinfo what;
	int64_t value;
	size_t cap;
	char text[];
};

static void run(struct helper_job *base)
{
	struct job *job = (struct job *)base;

	job->value = get(job->pid, job->pid, job->fd, job->what,
			 (struct text_buffer){job->text, job->cap});
}

static void drop(struct helper_job *base)
{
	free(base);
}

int64_t fdinfo_get(int pid, int fd, enum fdinfo what, char *buf, size_t cap)
{
	struct job *job = oom_calloc(1, sizeof(*job) + cap);
	int64_t value = 0;
	int status;

	*job = (struct job){{.run = run, .drop = drop}, pid, fd, what, 0, cap};
	status = helper_ask(pid, &job->base);
	if (cap)
		snprintf(buf, cap, "%s", status ? "<unknown>" : job->text);
	if (!status)
		value = job->value;
	if (status != STATUS_BUSY)
		free(job);
	return value;
}

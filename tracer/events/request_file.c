/* SPDX-License-Identifier: MIT */
#include "tracer/events/request_file.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/oom.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR	      512
#define FILES_MAX     256  /* descriptors of a process that are looked at */
#define EXTENTS	      64   /* that are read at a time */
#define EXTENTS_TURNS 1024 /* times */

/* Not where data is, or not only this file's. */
#define NOT_ITS_OWN                                                                    \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED |      \
	 FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_SHARED)

struct job {
	struct helper_job base;
	struct request request;
	int process; /* a pidfd */
	struct request_file file;
};

/* ---- disks ---- */

static bool read_number(const char *path, uint64_t *out)
{
	unsigned long long value;
	FILE *f = fopen(path, "re");
	bool is_read = f && fscanf(f, "%llu", &value) == 1;

	if (f)
		fclose(f);
	if (is_read)
		*out = value;
	return is_read;
}

/*
 * Whether what a file system is on is the disk of the request, or a part of it; start:
 * its first sector there.
 */
static bool is_on_disk(const struct request *r, unsigned major, unsigned minor,
		       uint64_t *start)
{
	char path[80];
	unsigned of_major, of_minor;
	FILE *f;
	bool is_read;

	*start = 0;
	if (major == r->major && minor == r->minor)
		return true;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", major, minor);
	if (!read_number(path, start))
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", major, minor);
	f = fopen(path, "re");
	is_read = f && fscanf(f, "%u:%u", &of_major, &of_minor) == 2;
	if (f)
		fclose(f);
	return is_read && of_major == r->major && of_minor == r->minor;
}

/* ---- extents ---- */

struct range {
	uint64_t from, to; /* bytes of the file system's disk */
	uint64_t found;	   /* of them in the file */
	uint64_t offset;   /* in the file, of the first one */
};

static void add_extent(struct range *r, const struct fiemap_extent *x)
{
	uint64_t from = max_u64(r->from, x->fe_physical);
	uint64_t to = min_u64(r->to, x->fe_physical + x->fe_length);

	if (from >= to || x->fe_flags & NOT_ITS_OWN)
		return;
	if (from == r->from)
		r->offset = x->fe_logical + (from - x->fe_physical);
	r->found += to - from;
}

/* Whether all bytes of the range are the file's. */
static bool has_range(int fd, struct range *r)
{
	union {
		struct fiemap map;
		unsigned char room[sizeof(struct fiemap) +
				   EXTENTS * sizeof(struct fiemap_extent)];
	} u;
	uint64_t next = 0;

	for (int turn = 0; turn < EXTENTS_TURNS; turn++) {
		const struct fiemap_extent *last;

		memset(&u, 0, sizeof(u.map));
		u.map.fm_start = next;
		u.map.fm_length = FIEMAP_MAX_OFFSET - next;
		u.map.fm_extent_count = EXTENTS;
		if (ioctl(fd, FS_IOC_FIEMAP, &u.map) || !u.map.fm_mapped_extents)
			break;
		for (uint32_t i = 0; i < u.map.fm_mapped_extents; i++)
			add_extent(r, &u.map.fm_extents[i]);
		last = &u.map.fm_extents[u.map.fm_mapped_extents - 1];
		next = last->fe_logical + last->fe_length;
		if (last->fe_flags & FIEMAP_EXTENT_LAST || r->found == r->to - r->from)
			break;
	}
	return r->found && r->found == r->to - r->from;
}

/* ---- descriptors ---- */

/* A file with blocks on the disk of the request. The file system is not asked. */
static bool may_be(const struct request *r, int fd, struct range *range)
{
	char path[64];
	struct statx st;
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", r->pid, fd);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE,
		  &st) ||
	    !(S_ISREG(st.stx_mode) || S_ISDIR(st.stx_mode)) ||
	    !is_on_disk(r, st.stx_dev_major, st.stx_dev_minor, &start) ||
	    r->sector < start)
		return false;
	*range = (struct range){.from = (r->sector - start) * SECTOR};
	range->to = range->from + r->bytes;
	return true;
}

/* fd: a duplicate, which stays this file whatever the process pid does. */
static void describe(struct request_file *f, int pid, int fd, uint64_t offset)
{
	f->is_known = true;
	f->offset = (int64_t)offset;
	f->oflags = fdinfo_get_copy(pid, fd, FDINFO_OFLAGS, NULL, 0);
	fdinfo_get_copy(pid, fd, FDINFO_PATH, f->path, sizeof(f->path));
	fdinfo_get_copy(pid, fd, FDINFO_DIR, f->dir, sizeof(f->dir));
	fdinfo_get_copy(pid, fd, FDINFO_FS, f->fs, sizeof(f->fs));
	fdinfo_get_copy(pid, fd, FDINFO_MOUNT, f->mount, sizeof(f->mount));
}

static bool try_descriptor(struct job *job, int fd)
{
	struct range range;
	int copy;

	if (!may_be(&job->request, fd, &range))
		return false;
	copy = (int)syscall(SYS_pidfd_getfd, job->process, fd, 0);
	if (copy < 0)
		return false;
	if (has_range(copy, &range))
		describe(&job->file, job->request.pid, copy, range.offset);
	close(copy);
	return job->file.is_known;
}

/* The first argument of the thread's system call: most often it is the one. */
static int current_descriptor(const struct request *r)
{
	unsigned long long arg;
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", r->pid, r->tid);
	f = fopen(path, "re");
	n = f ? fscanf(f, "%*d 0x%llx", &arg) : 0;
	if (f)
		fclose(f);
	return n == 1 && arg < INT_MAX ? (int)arg : -1;
}

static void try_all(struct job *job)
{
	char path[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", job->request.pid);
	dir = opendir(path);
	for (int i = 0; dir && i < FILES_MAX && !job->file.is_known; i++) {
		entry = readdir(dir);
		if (!entry)
			break;
		if (*entry->d_name != '.')
			try_descriptor(job, atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
}

static void run(struct helper_job *base)
{
	struct job *job = (struct job *)base;
	int first = current_descriptor(&job->request);

	job->process = (int)syscall(SYS_pidfd_open, job->request.pid, 0);
	if (job->process < 0)
		return;
	if (first < 0 || !try_descriptor(job, first))
		try_all(job);
	close(job->process);
}

static void drop(struct helper_job *base)
{
	free(base);
}

void request_file_find(const struct request *r, struct request_file *out)
{
	struct job *job;
	int status;

	out->is_known = false;
	if (!r->pid || !r->bytes)
		return;
	job = oom_calloc(1, sizeof(*job));
	job->base = (struct helper_job){.run = run, .drop = drop};
	job->request = *r;
	status = helper_ask(r->pid, &job->base);
	if (!status)
		*out = job->file;
	if (status != STATUS_BUSY)
		free(job);
}

static const char *text_of(const struct request_file *f, enum fdinfo what)
{
	switch (what) {
	case FDINFO_PATH:
		return f->path;
	case FDINFO_DIR:
		return f->dir;
	case FDINFO_FS:
		return f->fs;
	case FDINFO_MOUNT:
		return f->mount;
	default:
		return "<unknown>";
	}
}

int64_t request_file_get(const struct request_file *f, enum fdinfo what, char *buf,
			 size_t cap)
{
	if (what == FDINFO_OFFSET)
		return f->is_known ? f->offset : 0;
	if (what == FDINFO_OFLAGS)
		return f->is_known ? f->oflags : 0;
	if (cap)
		snprintf(buf, cap, "%s", f->is_known ? text_of(f, what) : "<none>");
	return 0;
}

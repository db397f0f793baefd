/* SPDX-License-Identifier: MIT */
#include "tracer/jit/map_file.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/oom.h"
#include "vm/base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OPEN_MS	   200
#define READ_MAX   (64u << 20) /* of one call */
#define FUSE_MAGIC 0x65735546  /* FUSE_SUPER_MAGIC */
#define NSEC	   UINT64_C(1000000000)

struct opening {
	struct helper_job base;
	int root;
	bool has_root;
	uint64_t ino;
	int fd, error;
	struct stat st;
	struct statfs fs;
	char path[];
};

/* Where there is no openat2(2) (Linux before 5.6, some sandboxes) no map is read. */
static int open_in_root(const struct opening *o)
{
	const unsigned flags =
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	struct open_how how = {
		.flags = flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, o->root, o->path, &how, sizeof(how));
}

static void run(struct helper_job *base)
{
	struct opening *o = (struct opening *)base;

	if (o->has_root)
		o->fd = open_in_root(o);
	else
		o->fd = open(o->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (o->fd < 0 || fstatfs(o->fd, &o->fs) || fstat(o->fd, &o->st))
		o->error = errno;
}

static void drop(struct helper_job *base)
{
	struct opening *o = (struct opening *)base;

	if (o->fd >= 0)
		close(o->fd);
	if (o->root >= 0)
		close(o->root);
	free(o);
}

/* Why the file may not be read; NULL: it may. */
static const char *refusal(const struct opening *o, const struct map_file_rule *rule)
{
	const struct stat *st = &o->st;

	if (o->error == ELOOP)
		return "it is a symbolic link";
	if (o->error == ENXIO)
		return "it is not a regular file";
	if (o->error)
		return "it cannot be opened";
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid != rule->user)
		return "it belongs to another user than the process";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others may write to it";
	if ((uint64_t)o->fs.f_type == FUSE_MAGIC)
		return "a program serves its file system";
	return NULL;
}

/* Another process had its number, and has left it. */
static bool is_stale(const struct opening *o, const struct map_file_rule *rule)
{
	const struct timespec *t = &o->st.st_mtim;

	return !o->error &&
	       (uint64_t)t->tv_sec * NSEC + (uint64_t)t->tv_nsec < rule->since;
}

/* Takes over the descriptor of a job that has run, if it may be read. */
static int finish(struct map_file *f, struct opening *o,
		  const struct map_file_rule *rule, const char **why)
{
	int status = 0;

	*why = NULL;
	if (o->error == ENOENT || o->error == ENOTDIR || is_stale(o, rule) ||
	    (o->ino && !o->error && o->st.st_ino != o->ino))
		status = STATUS_NOENT;
	else if ((*why = refusal(o, rule)))
		status = STATUS_PERM;
	if (status == 0) {
		f->fd = o->fd;
		f->dev = o->st.st_dev;
		f->ino = o->st.st_ino;
		o->fd = -1;
	}
	drop(&o->base);
	return status;
}

int map_file_open(struct map_file *f, const struct map_file_place *place,
		  const struct map_file_rule *rule, const char **why)
{
	size_t n = strlen(place->path) + 1;
	struct opening *o = oom_calloc(1, sizeof(*o) + n);
	int status;

	*o = (struct opening){.base = {.run = run, .drop = drop}, .root = -1, .fd = -1};
	o->ino = place->ino;
	memcpy(o->path, place->path, n);
	if (place->root >= 0)
		o->root = fcntl(place->root, F_DUPFD_CLOEXEC, 0);
	o->has_root = place->root >= 0;
	status = helper_run(&o->base, OPEN_MS);
	*why = "its file system does not answer";
	if (status == 0)
		return finish(f, o, rule, why);
	if (status !=
	    STATUS_BUSY) /* no helper can be had, and this call must not wait */
		drop(&o->base);
	return STATUS_PERM;
}

void map_file_init(struct map_file *f, enum map_file_kind kind)
{
	*f = (struct map_file){.kind = kind, .fd = -1};
}

static void forget_content(struct map_file *f)
{
	uint32_t serial = f->functions.serial;

	code_map_release(&f->functions);
	f->functions.serial = serial; /* what comes is new */
	memset(&f->state, 0, sizeof(f->state));
	f->offset = f->ntail = 0;
}

void map_file_release(struct map_file *f)
{
	forget_content(f);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Whether the bytes before the offset are those that were read. */
static bool is_continued(const struct map_file *f, const struct stat *st)
{
	char tail[sizeof(f->tail)];
	off_t at = (off_t)(f->offset - f->ntail);

	return (uint64_t)st->st_size >= f->offset &&
	       (!f->ntail || (pread(f->fd, tail, f->ntail, at) == (ssize_t)f->ntail &&
			      memcmp(tail, f->tail, f->ntail) == 0));
}

/* Reads a piece; how far it was understood, which may be beyond it. */
static size_t take(struct map_file *f, const char *bytes, size_t n)
{
	size_t done =
		f->kind == MAP_FILE_PERF_MAP
			? perf_map_take(&f->state.perf_map, &f->functions, bytes, n)
			: jitdump_take(&f->state.jitdump, &f->functions, bytes, n);

	if (done && done <= n) {
		f->ntail = done < sizeof(f->tail) ? done : sizeof(f->tail);
		memcpy(f->tail, bytes + done - f->ntail, f->ntail);
	} else if (done) {
		f->ntail = 0;
	}
	return done;
}

void map_file_read(struct map_file *f)
{
	char *bytes;
	struct stat st;
	uint64_t left = READ_MAX;

	if (f->fd < 0 || fstat(f->fd, &st))
		return;
	if (!is_continued(f, &st)) {
		forget_content(f);
		f->generation++;
	}
	if ((uint64_t)st.st_size <= f->offset)
		return;
	bytes = oom_realloc(NULL, CODE_STREAM_MAX);
	while (left >= CODE_STREAM_MAX) {
		ssize_t n = pread(f->fd, bytes, CODE_STREAM_MAX, (off_t)f->offset);
		size_t done = n > 0 ? take(f, bytes, (size_t)n) : 0;

		if (!done)
			break;
		f->offset += done;
		left -= CODE_STREAM_MAX;
		f->generation++;
	}
	free(bytes);
	code_map_settle(&f->functions);
}

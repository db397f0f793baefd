/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/file_text.h"
#include "vm/base/host/helper.h"
#include "vm/base/host/oom.h"
#include "vm/base/proc/maps_line.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES 65536u
#define WINDOW_MS    1000 /* a helper may take for one, on a busy machine */

/* What a helper reads. */
struct file_text_window {
	struct helper_job base;
	int pid;
	uint64_t area;	 /* where the mapping begins */
	uint64_t offset; /* of that in the file */
	int fd;		 /* of its file; -1: it is not open */
	uint64_t at;
	ssize_t n;
	uint8_t bytes[WINDOW_BYTES];
};

/* Another kind of file may do something when it is opened. inode 0: any. */
static int open_regular(const char *path, uint64_t inode)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat st;
	char again[32];

	if (place < 0)
		return -1;
	if (fstat(place, &st) == 0 && S_ISREG(st.st_mode) &&
	    (!inode || st.st_ino == inode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
		fd = open(again, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	}
	close(place);
	return fd;
}

/*
 * The link in map_files needs privileges, and is surely the file that is mapped. A path
 * is that of the process's root, or of ours: another file may be there by now.
 */
static int open_mapped(int pid, const struct maps_line *line)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		 line->lo, line->hi);
	fd = open_regular(path, 0);
	if (fd >= 0 || !line->inode || line->path[0] != '/')
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, line->path);
	fd = open_regular(path, line->inode);
	return fd >= 0 ? fd : open_regular(line->path, line->inode);
}

static void open_area(struct file_text_window *w)
{
	char path[32], *text = NULL;
	struct maps_line line;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", w->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (w->fd < 0 && getline(&text, &cap, f) > 0) {
		if (!maps_line_parse(text, &line) || line.lo != w->area)
			continue;
		w->offset = line.offset;
		w->fd = open_mapped(w->pid, &line);
		break;
	}
	free(text);
	fclose(f);
}

static void window_fill(struct helper_job *base)
{
	struct file_text_window *w = (struct file_text_window *)base;

	if (w->fd < 0)
		open_area(w);
	w->n = w->fd < 0 ? -1
			 : pread(w->fd, w->bytes, WINDOW_BYTES,
				 (off_t)(w->offset + (w->at - w->area)));
}

static void window_free(struct helper_job *base)
{
	struct file_text_window *w = (struct file_text_window *)base;

	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

void file_text_release(struct file_text *f)
{
	if (f->window)
		window_free(&f->window->base);
	f->window = NULL;
}

static struct file_text_window *window_of(struct file_text *f, uint64_t area)
{
	if (f->window && f->window->area != area)
		file_text_release(f);
	if (!f->window) {
		f->window = oom_calloc(1, sizeof(*f->window));
		f->window->base =
			(struct helper_job){.run = window_fill, .drop = window_free};
		f->window->pid = f->pid;
		f->window->area = area;
		f->window->fd = -1;
	}
	return f->window;
}

/* False: its file does not answer, and the mapping has no window. */
static bool read_window(struct file_text *f, uint64_t area, uint64_t at)
{
	struct file_text_window *w = window_of(f, area);
	int status;

	w->at = at;
	w->n = -1;
	status = helper_run(&w->base, WINDOW_MS);
	if (status == STATUS_BUSY) {
		f->window = NULL; /* the helper's */
		f->is_lost = true;
	}
	if (!status && w->n >= 0)
		return true;
	f->bad = area;
	return false;
}

int file_text_read(struct file_text *f, const struct procfs_area *area, taddr addr,
		   void *buf, size_t n)
{
	const uint64_t lo = area->range.lo.v;
	const struct file_text_window *w = f->window;

	if (f->is_lost || lo == f->bad)
		return STATUS_IO;
	if (!w || w->area != lo || w->n < 0 || addr.v < w->at ||
	    addr.v + n > w->at + (uint64_t)w->n) {
		if (!read_window(f, lo, addr.v))
			return STATUS_IO;
		w = f->window;
	}
	if (addr.v + n > w->at + (uint64_t)w->n)
		return STATUS_IO;
	memcpy(buf, w->bytes + (addr.v - w->at), n);
	return 0;
}

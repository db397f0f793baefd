/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/event_file.h"
#include "tracer/base/fatal_signal.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER	    (1u << 20)
#define FILE_HEADER 16u

struct event_file {
	char *path;
	int fd, error;
	uint64_t written; /* bytes of whole records in the file */
	size_t len;
	unsigned char buffer[BUFFER];
};

int event_file_create(const char *path, struct event_file **out, struct err *e)
{
	/* perf_pipe_file_header: the magic number, and its own size */
	static const uint64_t header[] = {UINT64_C(0x32454c4946524550), FILE_HEADER};
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, STATUS_IO, "%s", strerror(errno));
	*out = oom_calloc(1, sizeof(**out));
	(*out)->path = oom_strdup(path);
	(*out)->fd = fd;
	fatal_signal_file(fd, (*out)->path);
	event_file_add(*out, header, sizeof(header));
	return 0;
}

int event_file_copy(struct event_file *f, struct event_file *from)
{
	unsigned char bytes[65536];
	uint64_t at = FILE_HEADER;

	event_file_flush(from);
	while (at < from->written && !f->error) {
		size_t most = min_u64(from->written - at, sizeof(bytes));
		ssize_t n = pread(from->fd, bytes, most, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* somebody has cut it */
			return n < 0 ? errno : EIO;
		event_file_add(f, bytes, (size_t)n);
		at += (uint64_t)n;
	}
	return f->error;
}

/* Of n bytes of records the part that whole ones fill. */
static size_t whole(const unsigned char *records, size_t n)
{
	struct perf_event_header h;
	size_t at = 0;

	while (n - at >= sizeof(h)) {
		memcpy(&h, records + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > n - at)
			break;
		at += h.size;
	}
	return at;
}

/* The file ends with the last record that there was room for. */
static void fail(struct event_file *f, size_t done)
{
	f->error = errno;
	f->len = 0;
	if (f->written) /* else the header is not whole */
		f->written += whole(f->buffer, done);
	while (ftruncate(f->fd, (off_t)f->written) && errno == EINTR)
		;
}

void event_file_flush(struct event_file *f)
{
	size_t done = 0;

	while (done < f->len && !f->error) {
		ssize_t n = write(f->fd, f->buffer + done, f->len - done);

		if (n < 0 && errno != EINTR)
			fail(f, done);
		else
			done += n > 0 ? (size_t)n : 0;
	}
	if (f->error)
		return;
	f->written += done;
	f->len = 0;
}

/* A record in the buffer begins it, or follows a whole one. */
void event_file_add(struct event_file *f, const void *record, size_t n)
{
	const unsigned char *from = record;

	if (n > BUFFER - f->len)
		event_file_flush(f);
	while (n > 0 && !f->error) {
		size_t part = n < BUFFER ? n : BUFFER;

		memcpy(f->buffer + f->len, from, part);
		f->len += part;
		from += part;
		n -= part;
		if (n)
			event_file_flush(f);
	}
}

int event_file_error(const struct event_file *f)
{
	return f->error;
}

uint64_t event_file_bytes(const struct event_file *f)
{
	return f->written + f->len;
}

/* Whether the path still names the file that was made. */
static bool is_there(const struct event_file *f)
{
	struct stat there, made;

	return !lstat(f->path, &there) && !fstat(f->fd, &made) &&
	       there.st_dev == made.st_dev && there.st_ino == made.st_ino;
}

void event_file_close(struct event_file *f, bool keep)
{
	if (!f)
		return;
	if (keep)
		event_file_flush(f);
	else if (is_there(f))
		unlink(f->path);
	close(f->fd);
	free(f->path);
	free(f);
}

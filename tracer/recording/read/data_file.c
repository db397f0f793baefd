/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/data_file.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(const struct stat *st, struct err *e)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode))
		return err_set(e, STATUS_INVAL, "it is a directory");
	if (S_ISFIFO(st->st_mode))
		return err_set(e, STATUS_INVAL,
			       "it is a pipe: write the recording to a file first");
	return err_set(e, STATUS_INVAL, "it is no regular file");
}

int data_file_open(struct data_file *f, const char *path, struct err *e)
{
	struct stat st;
	int rc;

	/* a pipe without a writer is not waited for */
	*f = (struct data_file){
		.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (f->fd < 0 && (errno == EACCES || errno == EPERM))
		return err_errno(e, STATUS_PERM, "cannot open it");
	if (f->fd < 0)
		return err_errno(e, STATUS_NOENT, "cannot open it");
	rc = fstat(f->fd, &st) ? err_errno(e, STATUS_IO, "cannot read it")
			       : check_kind(&st, e);
	if (rc) {
		close(f->fd);
		f->fd = -1;
		return rc;
	}
	f->size = (uint64_t)st.st_size;
	f->path = oom_strdup(path);
	return 0;
}

void data_file_close(struct data_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	free(f->path);
	f->path = NULL;
}

int64_t data_file_read_some(const struct data_file *f, uint64_t offset, void *to,
			    size_t n, struct err *e)
{
	size_t done = 0;

	if (offset > INT64_MAX - n)
		return 0;
	while (done < n) {
		ssize_t got = pread(f->fd, (char *)to + done, n - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(e, STATUS_IO, "at offset %" PRIu64, offset);
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

int data_file_read(const struct data_file *f, uint64_t offset, void *to, size_t n,
		   struct err *e)
{
	int64_t got = data_file_read_some(f, offset, to, n, e);

	if (got < 0)
		return (int)got;
	if ((size_t)got < n)
		return data_file_bad(offset + (uint64_t)got, "the file ends too early",
				     e);
	return 0;
}

int data_file_bad(uint64_t offset, const char *what, struct err *e)
{
	return err_set(e, STATUS_BADFMT, "at offset %" PRIu64 ": %s", offset, what);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/picture_file.h"
#include "tracer/base/fatal_signal.h"
#include "tracer/base/own_file.h"
#include "tracer/base/patient_write.h"
#include "tracer/output/out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int picture_file_open(struct picture_file *f, const char *path, struct err *e)
{
	const int how = O_WRONLY | O_CREAT | O_CLOEXEC;

	*f = (struct picture_file){.path = path, .is_new = true};
	f->fd = open(path, how | O_EXCL, 0666);
	if (f->fd < 0) {
		f->is_new = false;
		f->fd = open(path, how, 0666);
	}
	if (f->fd < 0)
		return err_set(e, STATUS_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	if (f->is_new)
		fatal_signal_file(f->fd, path);
	return 0;
}

int picture_file_fail(const struct picture_file *f, int error, struct err *e)
{
	bool is_removed = own_file_remove(f->fd, f->path);

	return err_set(e, STATUS_IO, "failed to write '%s': %s%s", f->path,
		       strerror(error), is_removed ? "; it is removed" : "");
}

static void close_file(struct picture_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	*f = PICTURE_FILE_NONE;
}

int picture_file_put(struct picture_file *f, const struct strbuf *text, struct err *e)
{
	/* a pipe or device has no length */
	int error = ftruncate(f->fd, 0) && errno != EINVAL ? errno : 0, rc;

	if (!error)
		error = patient_write(f->fd, text->data, text->len);
	/* some file systems fail when a file is closed */
	if (!error && close(fcntl(f->fd, F_DUPFD_CLOEXEC, 0)))
		error = errno;
	rc = error ? picture_file_fail(f, error, e) : 0;
	close_file(f);
	return rc;
}

bool picture_file_write(struct picture_file *f, const struct strbuf *text,
			struct out *o)
{
	struct err e;
	int rc = picture_file_put(f, text, &e);

	if (rc)
		out_message(o, "%s", e.text);
	return rc == 0;
}

void picture_file_close(struct picture_file *f)
{
	if (f->is_new)
		own_file_remove(f->fd, f->path);
	close_file(f);
}

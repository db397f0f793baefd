/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/picture_file.h"
#include "tracer/base/patient_write.h"
#include "tracer/output/out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int picture_file_open(const char *path, int *fd, struct err *e)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return err_set(e, STATUS_IO, "cannot open '%s': %s", path,
			       strerror(errno));
	return 0;
}

int picture_file_put(int fd, const char *path, const struct strbuf *text, struct err *e)
{
	/* a pipe or device has no length */
	int error = ftruncate(fd, 0) && errno != EINVAL ? errno : 0;

	if (!error)
		error = patient_write(fd, text->data, text->len);
	return error ? err_set(e, STATUS_IO, "failed to write '%s': %s", path,
			       strerror(error))
		     : 0;
}

bool picture_file_write(int fd, const char *path, const struct strbuf *text,
			struct out *o)
{
	struct err e;
	int rc = picture_file_put(fd, path, text, &e);

	if (rc)
		out_message(o, "%s", e.text);
	return rc == 0;
}

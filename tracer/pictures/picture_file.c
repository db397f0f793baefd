/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/picture_file.h"
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
	size_t done = 0;
	ssize_t n = 0;

	/* a pipe or device has no length */
	if (ftruncate(fd, 0) && errno != EINVAL)
		n = -1;
	while (n >= 0 && done < text->len) {
		n = write(fd, text->data + done, text->len - done);
		done += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno == EINTR)
			n = 0;
	}
	return n < 0 ? err_set(e, STATUS_IO, "failed to write '%s': %s", path,
			       strerror(errno))
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

/* SPDX-License-Identifier: MIT */
/*
 * The file of a picture: opened before tracing, written when it has ended.
 */
#ifndef TRACER_PICTURES_PICTURE_FILE_H
#define TRACER_PICTURES_PICTURE_FILE_H

#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

struct out;

/* What the file has now stays until the picture is written. IO: it cannot be opened. */
int picture_file_open(const char *path, int *fd, struct err *e);
/* Replaces what the file has. IO: it failed; the text of the error is whole. */
int picture_file_put(int fd, const char *path, const struct strbuf *text,
		     struct err *e);
/* The same. False: it failed, which o says. */
bool picture_file_write(int fd, const char *path, const struct strbuf *text,
			struct out *o);

#endif

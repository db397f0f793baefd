/* SPDX-License-Identifier: MIT */
/*
 * The file of a picture: opened before tracing, written when it has ended.
 */
#ifndef TRACER_PICTURES_PICTURE_FILE_H
#define TRACER_PICTURES_PICTURE_FILE_H

#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

struct out;

struct picture_file {
	const char *path; /* borrowed */
	int fd;		  /* -1: not open */
	bool is_new;	  /* it was made by us, and nothing has been written */
};

#define PICTURE_FILE_NONE ((struct picture_file){NULL, -1, false})

/* What the file has now stays until the picture is written. IO: it cannot be opened. */
int picture_file_open(struct picture_file *f, const char *path, struct err *e);
/*
 * Replaces what the file has, and closes it. IO: it failed; the text of the error is
 * whole. Half a picture is of no use: the file is removed.
 */
int picture_file_put(struct picture_file *f, const struct strbuf *text, struct err *e);
/* The same. False: it failed, which o says. */
bool picture_file_write(struct picture_file *f, const struct strbuf *text,
			struct out *o);
/* Writing has failed for the reason of errno: removes the file, and says so in e. */
int picture_file_fail(const struct picture_file *f, int error, struct err *e);
/* A file that was made for a picture, of which none came, is removed. */
void picture_file_close(struct picture_file *f);

#endif

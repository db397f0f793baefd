/* SPDX-License-Identifier: MIT */
/*
 * The file of a recording, which is not trusted. It is read with pread(2): a file that
 * shrinks meanwhile causes an error and no SIGBUS.
 */
#ifndef TRACER_RECORDING_READ_DATA_FILE_H
#define TRACER_RECORDING_READ_DATA_FILE_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"

struct data_file {
	int fd;
	uint64_t size;
	char *path;
};

/* A regular file. INVAL, PERM, NOENT, IO; then nothing is to be closed. */
int data_file_open(struct data_file *f, const char *path, struct err *e);
void data_file_close(struct data_file *f);
/* n bytes from the offset. BADFMT: the file ends before; the text names the offset. */
int data_file_read(const struct data_file *f, uint64_t offset, void *to, size_t n,
		   struct err *e);
/* Up to n bytes; how many there were, or a status. */
int64_t data_file_read_some(const struct data_file *f, uint64_t offset, void *to,
			    size_t n, struct err *e);
/* BADFMT, with "at offset N: what". */
int data_file_bad(uint64_t offset, const char *what, struct err *e);

#endif

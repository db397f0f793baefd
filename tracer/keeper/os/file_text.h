/* SPDX-License-Identifier: MIT */
/*
 * What the file of a mapping has at an address of a process. A target chooses its files,
 * and who serves them: a helper opens and reads them, and is given up if that takes long.
 */
#ifndef TRACER_KEEPER_OS_FILE_TEXT_H
#define TRACER_KEEPER_OS_FILE_TEXT_H

#include "tracer/keeper/os/procfs.h"

/* The last window that was read. A zeroed struct with a process number begins. */
struct file_text {
	int pid;
	uint64_t bad; /* a mapping whose file cannot be read; 0: none is known */
	bool is_lost; /* a file has not answered: no other one is asked */
	struct file_text_window *window;
};

void file_text_release(struct file_text *f);
/*
 * The n bytes that the file of the mapping has at addr: 0. STATUS_IO: the file is
 * shorter, cannot be read, or does not answer.
 */
int file_text_read(struct file_text *f, const struct procfs_area *area, taddr addr,
		   void *buf, size_t n);

#endif

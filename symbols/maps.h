/* SPDX-License-Identifier: MIT */
/*
 * The text of /proc/PID/maps -> modules. Apart from modules_read() so that tests can
 * pass any text.
 */
#ifndef SYMBOLS_MAPS_H
#define SYMBOLS_MAPS_H

#include "symbols/elf/file.h"
#include "symbols/symbols.h"

struct maps_text {
	char *text; /* of /proc/PID/maps, zero-terminated; modified while it is parsed */
	int tid;    /* a thread of the process that still has its memory */
	uint64_t exe_dev, exe_ino; /* of /proc/PID/exe; 0: not known */
	char exe_path[4096];
	/* file_open_mapped(), or a stand-in with the same contract */
	int (*open)(const struct mapped_file *m, int *fd, struct err *e);
};

/* The objects in the text, in address order; the caller frees them: modules_free(). */
struct modules *maps_modules(const struct maps_text *from);

#endif

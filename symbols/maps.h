/* SPDX-License-Identifier: MIT */
/*
 * What modules are made from, without the process that has them.
 */
#ifndef SYMBOLS_MAPS_H
#define SYMBOLS_MAPS_H

#include "symbols/elf/file.h"
#include "symbols/symbols.h"

struct maps_text {
	char *text; /* of /proc/PID/maps, terminated; it is cut into pieces */
	int tid;    /* a thread whose /proc directory has the memory */
	uint64_t exe_dev, exe_ino;
	char exe_path[4096];
	/* As file_open_mapped(). */
	int (*open)(const struct mapped_file *m, int *fd, struct err *e);
};

/* The objects that the text names, in address order, for modules_free(). */
struct modules *maps_modules(const struct maps_text *from);

#endif

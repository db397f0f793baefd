/* SPDX-License-Identifier: MIT */
/*
 * A file in which a process lists the code that it makes, and what was read of it.
 *
 * A process could make dtrace read another's file, or wait for ever. So a file is read
 * only if it is regular, belongs to the user that the process runs as, cannot be written
 * by others, was written after the process began, and lies on no file system that a
 * program serves (FUSE). It is opened by a helper thread, with a limit of time.
 */
#ifndef TRACER_JIT_MAP_FILE_H
#define TRACER_JIT_MAP_FILE_H

#include "tracer/jit/perf_map.h"

#include <sys/types.h>

/* What a file must be. */
struct map_file_rule {
	uid_t user;
	uint64_t since; /* its last change, in ns since 1970 */
};

enum map_file_kind { MAP_FILE_PERF_MAP, MAP_FILE_JITDUMP };

struct map_file {
	enum map_file_kind kind;
	int fd;		   /* -1: not open */
	uint64_t dev, ino; /* of the open file */
	uint64_t offset;   /* it has been read to here */
	char tail[64];	   /* the last bytes before that; ntail */
	size_t ntail;
	union {
		struct perf_map_state perf_map;
		struct jitdump_state jitdump;
	} state;
	struct code_map functions;
	uint64_t generation; /* how often the functions have changed */
};

void map_file_init(struct map_file *f, enum map_file_kind kind);
void map_file_release(struct map_file *f);

/* Where a file is. */
struct map_file_place {
	int root; /* a directory, out of which no link leads; -1: the path is our own */
	const char *path;
	uint64_t ino; /* the file must have this number; 0: any */
};
/*
 * 0: f->fd is open. STATUS_NOENT: there is no such file yet. STATUS_PERM: it may not be
 * read; *why says so, a static text.
 */
int map_file_open(struct map_file *f, const struct map_file_place *place,
		  const struct map_file_rule *rule, const char **why);
/* Reads what has been added, or all if the file was written anew. */
void map_file_read(struct map_file *f);

#endif

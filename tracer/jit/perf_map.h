/* SPDX-License-Identifier: MIT */
/*
 * The two files in which runtimes say what code they have made, as streams of bytes:
 *
 *	perf map	a line for each function: its address and size in hex, its name
 *	jitdump		a header, then records: code was made, code was moved ...
 *
 * (tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt of Linux.)
 */
#ifndef TRACER_JIT_PERF_MAP_H
#define TRACER_JIT_PERF_MAP_H

#include "tracer/jit/code_map.h"

/*
 * Each takes what it understands of bytes[0..n), which begin where the last call ended,
 * and returns how far the stream has been read: 0 if more bytes are needed; for jitdump
 * more than n if bytes are of no interest. If n is CODE_STREAM_MAX, it is never 0.
 */
#define CODE_STREAM_MAX (256u << 10)

struct perf_map_state {
	bool skips; /* to the end of a line that is too long */
};
size_t perf_map_take(struct perf_map_state *s, struct code_map *m, const char *bytes,
		     size_t n);

struct jitdump_state {
	bool has_header;
	bool is_damaged; /* nothing more is read */
};
size_t jitdump_take(struct jitdump_state *s, struct code_map *m, const char *bytes,
		    size_t n);

#endif

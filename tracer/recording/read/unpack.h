/* SPDX-License-Identifier: MIT */
/*
 * The content of compressed records: one stream of zstd through all of them, which holds
 * records again. One may begin in one compressed record and end in the next.
 */
#ifndef TRACER_RECORDING_READ_UNPACK_H
#define TRACER_RECORDING_READ_UNPACK_H

#include "vm/base/base.h"
#include "vm/base/host/err.h"

struct unpacker;

struct unpacker *unpacker_new(void);
/* u may be NULL. */
void unpacker_free(struct unpacker *u);
/* The next piece: n bytes, at most 65536, which are copied. All before was read. */
void unpacker_feed(struct unpacker *u, const void *bytes, size_t n);
/*
 * Points *bytes at n bytes that follow; they stay until the next call, and are not taken.
 * 1; 0: the pieces so far have fewer; BADFMT. n: at most 65536.
 */
int unpacker_peek(struct unpacker *u, size_t n, const unsigned char **bytes,
		  struct err *e);
/* Takes n bytes that were peeked at. */
void unpacker_take(struct unpacker *u, size_t n);

#endif

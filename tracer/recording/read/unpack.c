/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/unpack.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define PIECE_MAX 65536
#define OUT_ROOM  (4 * PIECE_MAX)
#define WINDOW	  27 /* log of the memory that a stream may ask for: 128 MB */

struct unpacker {
	ZSTD_DStream *stream;
	unsigned char in[PIECE_MAX], out[OUT_ROOM];
	ZSTD_inBuffer piece;
	size_t from, to; /* what of out is not taken */
};

struct unpacker *unpacker_new(void)
{
	struct unpacker *u = oom_calloc(1, sizeof(*u));

	u->stream = ZSTD_createDStream();
	if (!u->stream)
		abort(); /* as when other memory is not there */
	ZSTD_DCtx_setParameter(u->stream, ZSTD_d_windowLogMax, WINDOW);
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->stream);
	free(u);
}

void unpacker_feed(struct unpacker *u, const void *bytes, size_t n)
{
	memcpy(u->in, bytes, n);
	u->piece = (ZSTD_inBuffer){u->in, n, 0};
}

/* More of the stream. 0: the piece has no more. */
static int unpack(struct unpacker *u, struct err *e)
{
	ZSTD_outBuffer out = {u->out, OUT_ROOM, u->to};
	size_t before = u->piece.pos, rc;

	rc = ZSTD_decompressStream(u->stream, &out, &u->piece);
	if (ZSTD_isError(rc))
		return err_set(e, STATUS_BADFMT, "the compressed data is damaged: %s",
			       ZSTD_getErrorName(rc));
	if (out.pos == u->to && u->piece.pos == before)
		return 0;
	u->to = out.pos;
	return 1;
}

int unpacker_peek(struct unpacker *u, size_t n, const unsigned char **bytes,
		  struct err *e)
{
	if (u->from > OUT_ROOM / 2) {
		memmove(u->out, u->out + u->from, u->to - u->from);
		u->to -= u->from;
		u->from = 0;
	}
	while (u->to - u->from < n) {
		int rc = unpack(u, e);

		if (rc <= 0)
			return rc;
	}
	*bytes = u->out + u->from;
	return 1;
}

void unpacker_take(struct unpacker *u, size_t n)
{
	u->from += n;
}

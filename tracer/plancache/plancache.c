/* SPDX-License-Identifier: MIT */
/*
 * A file: its head, then a tape of plans. Its name says of which module and for which
 * wants it is, in hexadecimal digits; the head says it again, and more.
 */
#include "tracer/plancache/plancache.h"
#include "tracer/plancache/folder.h"
#include "vm/base/hash.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC	 "dtrace's plans\n"
#define VERSION	 5
#define CODE_MIN (UINT64_C(512) << 10) /* smaller modules are planned as fast as read */

/* The file of a program as it is now. */
struct program_stamp {
	uint64_t dev, ino, size;
	int64_t modified[2]; /* a hard link to it changes st_ctim */
};

/* What a module's plans depend on, but for the wants. No byte of it is padding. */
struct identity {
	char magic[16];
	uint64_t version;
	struct program_stamp dtrace;
	struct module_stamp file;
	uint64_t build_id_size;
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	uint64_t functions; /* a sum of their ranges */
};

struct head {
	struct identity of;
	struct plan_wants wants;
	uint64_t bytes, sum[2]; /* of what follows */
};

struct plancache {
	bool is_open;
	int folder; /* -1: there is none */
	struct program_stamp dtrace;
	bool has_dtrace;
	const struct module *asked; /* last */
	bool knows;		    /* the answer */
};

void plan_wants_add(struct plan_wants *w, uint64_t word)
{
	w->sum[0] = hash_u64(w->sum[0] * 3 + word);
	w->sum[1] = hash_u64((w->sum[1] ^ word) + 1) * 5;
}

#define PIECE 65536

/* Of pieces of that size, but the last one; at first they are 1 and 2. */
static void sum_piece(const void *p, size_t n, uint64_t sum[2])
{
	for (int i = 0; i < 2; i++)
		sum[i] = hash_bytes(p, n, sum[i]);
}

struct plancache *plancache_new(void)
{
	struct plancache *c = oom_calloc(1, sizeof(*c));

	c->folder = -1;
	return c;
}

void plancache_free(struct plancache *c)
{
	if (c && c->folder >= 0)
		close(c->folder);
	free(c);
}

static bool read_program(struct program_stamp *out)
{
	struct stat st;

	if (stat("/proc/self/exe", &st) < 0)
		return false;
	*out = (struct program_stamp){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = (uint64_t)st.st_size,
		.modified = {st.st_mtim.tv_sec, st.st_mtim.tv_nsec},
	};
	return true;
}

static bool is_usable(struct plancache *c)
{
	if (!c)
		return false;
	if (!c->is_open) {
		c->is_open = true;
		c->has_dtrace = read_program(&c->dtrace);
		c->folder = folder_open();
	}
	return c->folder >= 0 && c->has_dtrace;
}

static uint64_t sum_functions(const struct module *m)
{
	uint64_t sum = m->nsymbols;

	for (size_t i = 0; i < m->nsymbols; i++)
		sum = hash_u64(sum + m->symbols[i].value) + m->symbols[i].size;
	for (size_t i = 0; i < m->nparts; i++)
		sum = hash_u64(sum + m->parts[i].value) + m->parts[i].size;
	return sum;
}

/* False: nothing is kept of the module. */
static bool identify(struct plancache *c, const struct module *m, struct identity *out)
{
	memset(out, 0, sizeof(*out));
	if (m->hi.v - m->lo.v < CODE_MIN || m->is_vdso || !is_usable(c) ||
	    !module_stamp(m, &out->file))
		return false;
	memcpy(out->magic, MAGIC, sizeof(out->magic));
	out->version = VERSION;
	out->dtrace = c->dtrace;
	out->build_id_size = m->build_id_size;
	memcpy(out->build_id, m->build_id,
	       min_u64(m->build_id_size, sizeof(out->build_id)));
	out->functions = sum_functions(m);
	return true;
}

#define NAME_BYTES 64

/* How the names of all files of plans of the module begin. */
static size_t name_plans(const struct identity *of, char name[NAME_BYTES])
{
	return (size_t)snprintf(name, NAME_BYTES, "%016" PRIx64 "-",
				hash_bytes(of, sizeof(*of), 0));
}

/* wants NULL: of the exits. */
static void name_file(const struct identity *of, const struct plan_wants *wants,
		      char name[NAME_BYTES])
{
	size_t n = name_plans(of, name);

	if (wants)
		snprintf(name + n, NAME_BYTES - n, "%016" PRIx64 ".plans",
			 wants->sum[0] ^ wants->sum[1]);
	else
		snprintf(name + n - 1, NAME_BYTES - n + 1, ".exits");
}

bool plancache_knows(struct plancache *c, const struct module *m)
{
	char name[NAME_BYTES];
	struct identity of;

	if (!c)
		return false;
	if (c->asked != m) {
		c->asked = m;
		c->knows = identify(c, m, &of);
		if (c->knows)
			name_plans(&of, name);
		c->knows = c->knows && folder_has(c->folder, name);
	}
	return c->knows;
}

static struct plan_wants wants_of(const struct plan_wants *w)
{
	return w ? *w : (struct plan_wants){{0}};
}

static bool read_at(int fd, uint64_t at, void *to, size_t n)
{
	char *p = to;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)at);

		if (got <= 0)
			return false;
		p += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* Reads what follows the head once: the sum of it, and all of it if there is an out. */
static bool read_body(int fd, uint64_t bytes, uint64_t sum[2], struct strbuf *out)
{
	char *piece = oom_realloc(NULL, PIECE);
	uint64_t at = sizeof(struct head);
	bool is_read = true;

	sum[0] = 1;
	sum[1] = 2;
	while (is_read && at < bytes) {
		size_t n = min_u64(PIECE, bytes - at);

		is_read = read_at(fd, at, piece, n);
		if (is_read)
			sum_piece(piece, n, sum);
		if (is_read && out)
			strbuf_add(out, piece, n);
		at += n;
	}
	free(piece);
	return is_read;
}

static bool is_whole(int fd, uint64_t bytes, const struct identity *of,
		     const struct plan_wants *wants, struct strbuf *out)
{
	struct plan_wants w = wants_of(wants);
	uint64_t sum[2];
	struct head h;

	return bytes >= sizeof(h) && read_at(fd, 0, &h, sizeof(h)) &&
	       memcmp(&h.of, of, sizeof(*of)) == 0 &&
	       memcmp(&h.wants, &w, sizeof(w)) == 0 && h.bytes == bytes - sizeof(h) &&
	       read_body(fd, bytes, sum, out) && memcmp(h.sum, sum, sizeof(sum)) == 0;
}

/*
 * Opens the file if it is whole and its head says what was asked: *bytes is its size.
 * wants NULL: the exits. *out, which is empty before, has what follows the head; NULL: it
 * is not wanted.
 */
static int open_file(struct plancache *c, const struct module *m,
		     const struct plan_wants *wants, uint64_t *bytes,
		     struct strbuf *out)
{
	char name[NAME_BYTES];
	struct identity of;
	int fd;

	if (!identify(c, m, &of))
		return -1;
	name_file(&of, wants, name);
	fd = folder_open_file(c->folder, name, bytes);
	if (fd >= 0 && !is_whole(fd, *bytes, &of, wants, out)) {
		if (out)
			strbuf_release(out);
		close(fd);
		fd = -1;
	}
	if (wants)
		log_debug("plan", "'%s': %s", m->path,
			  fd >= 0 ? "plans are kept" : "none are kept");
	else
		log_debug("plan", "'%s': %s", m->path,
			  fd >= 0 ? "exits are known" : "no exits are known");
	return fd;
}

static void write_file(struct plancache *c, const struct module *m,
		       const struct plan_wants *wants, const struct strbuf *body)
{
	struct head h = {.wants = wants_of(wants), .bytes = body->len, .sum = {1, 2}};
	struct strbuf file = {0};
	char name[NAME_BYTES];

	if (!identify(c, m, &h.of))
		return;
	for (size_t at = 0; at < body->len; at += PIECE)
		sum_piece(body->data + at, min_u64(PIECE, body->len - at), h.sum);
	strbuf_add(&file, &h, sizeof(h));
	strbuf_add(&file, body->data, body->len);
	name_file(&h.of, wants, name);
	folder_write(c->folder, name, &file);
	strbuf_release(&file);
}

static void remove_file(struct plancache *c, const struct module *m,
			const struct plan_wants *wants)
{
	char name[NAME_BYTES];
	struct identity of;

	if (!identify(c, m, &of))
		return;
	log_debug("plan", "'%s': the %s that were kept do not fit", m->path,
		  wants ? "plans" : "exits");
	name_file(&of, wants, name);
	folder_remove(c->folder, name);
}

bool plancache_read(struct plancache *c, const struct module *m,
		    const struct plan_wants *w, struct plan_tape *out)
{
	uint64_t bytes;
	int fd = open_file(c, m, w, &bytes, NULL);

	*out = (struct plan_tape){0};
	if (fd >= 0)
		plan_tape_open(out, fd, sizeof(struct head), bytes);
	return fd >= 0;
}

void plancache_write(struct plancache *c, const struct module *m,
		     const struct plan_wants *w, const struct plan_tape *tape)
{
	write_file(c, m, w, &tape->bytes);
}

void plancache_reject(struct plancache *c, const struct module *m,
		      const struct plan_wants *w)
{
	remove_file(c, m, w);
}

bool plancache_read_exits(struct plancache *c, const struct module *m,
			  struct strbuf *out)
{
	uint64_t bytes;
	int fd = open_file(c, m, NULL, &bytes, out);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void plancache_write_exits(struct plancache *c, const struct module *m,
			   const struct strbuf *exits)
{
	write_file(c, m, NULL, exits);
}

void plancache_reject_exits(struct plancache *c, const struct module *m)
{
	remove_file(c, m, NULL);
}

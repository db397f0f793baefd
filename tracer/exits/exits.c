/* SPDX-License-Identifier: MIT */
/*
 * The functions are divided into chunks. Helpers each take the next chunk that nobody has
 * taken, and look for the exits in the code of the file, while this thread uses those of
 * the chunks before. Where it is faster than they are, it takes chunks as well:
 *
 *	chunks	| used | done | done | a helper's | a helper's | not taken ...
 *		          ^ this thread
 */
#include "tracer/exits/exits.h"
#include "tracer/exits/table.h"
#include "tracer/output/progress.h"
#include "tracer/plancache/plancache.h"
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdatomic.h>
#include <string.h>

/* Fewer bytes of functions are scanned one by one, as fast as this begins. */
#ifdef DTRACE_SMALL_LIMITS
#define BYTES_MIN (16u << 10)
#define CHUNK	  16
#else
#define BYTES_MIN (512u << 10)
#define CHUNK	  128 /* functions */
#endif

#define WINDOW	    (256u << 10) /* bytes of code that are read at once */
#define THREADS_MAX 4
#define WAIT_MS	    20	 /* between looks whether tracing is to end */
#define RET	    0xc3 /* is this instruction, whatever follows */

/* What is not kept of some functions. */
struct chunk {
	struct exits_table found; /* sorted when it is done */
	atomic_bool is_done;
};

/* The search for exits that are not kept. */
struct search {
	const struct module *module;
	struct module_text *text;
	const struct exits_functions *functions; /* borrowed */
	const struct exits_table *kept;
	struct chunk *chunks;
	size_t nchunks;
	atomic_size_t next; /* chunk */
	atomic_bool is_stopped;
};

/* A piece of the file's code, and zeros behind it. */
struct window {
	uint64_t lo;
	size_t n, cap;
	uint8_t *bytes;
};

/* One thread of a search. */
struct worker {
	struct search *search;
	/* of functions' first parts, and of the others, which are elsewhere */
	struct window windows[2];
	struct exits_table *found; /* of the chunk */
	struct exits_part part;	   /* that is scanned */
};

struct exits {
	struct tracer *t;
	const struct module *module;
	struct exits_table kept;
	struct search search;
	struct worker worker; /* this thread */
	struct background *helpers[THREADS_MAX];
	size_t nhelpers;
	bool is_wrong; /* something that was kept is */
};

size_t exits_ranges(const struct module *m, const struct symbol *sym,
		    struct addr_range out[EXITS_PARTS_MAX])
{
	size_t n = 1;

	out[0].lo = module_address(m, sym->value);
	out[0].hi = taddr_add(out[0].lo, (int64_t)sym->size);
	for (uint32_t i = 0; i < sym->nparts && n < EXITS_PARTS_MAX; i++) {
		const struct symbol_part *part = &m->parts[sym->first_part + i];
		taddr lo = module_address(m, part->value);

		if (module_has(m, part->value, part->size))
			out[n++] = (struct addr_range){
				lo, taddr_add(lo, (int64_t)part->size)};
	}
	return n;
}

void exits_order(const struct addr_range *ranges, size_t n, size_t part,
		 struct addr_range out[EXITS_PARTS_MAX])
{
	memcpy(out, ranges, n * sizeof(*ranges));
	out[0] = ranges[part];
	out[part] = ranges[0];
}

/* False: they are not known. */
static bool tell_known(const struct exits_scan *x, const struct scan_request *req)
{
	const uint32_t *offsets;
	size_t n;

	if (!exits_of(x->known, x->function, req, &offsets, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		req->site(req->ctx,
			  &(struct scan_site){.offset = offsets[i], .is_exit = true});
	return true;
}

int exits_scan_part(struct exits_scan *x, size_t i, uint32_t *bad)
{
	const struct addr_range *part = &x->ranges[i];
	struct scan_request req = x->request;
	struct addr_range ordered[EXITS_PARTS_MAX];
	uint8_t *bytes;
	int rc;

	*bad = 0;
	req.n = min_u64(part->hi.v - part->lo.v, EXITS_BYTES_MAX);
	req.room = req.n + INSN_ROOM;
	req.bytes = bytes = oom_realloc(NULL, req.room);
	memset(bytes + req.n, 0, INSN_ROOM);
	req.ranges = ordered;
	req.nranges = x->nranges;
	exits_order(x->ranges, x->nranges, i, ordered);
	x->scanned = part->lo;
	x->code = bytes;
	rc = procmem_window_read(x->memory, part->lo.v, bytes, req.n);
	if (!rc && !tell_known(x, &req))
		rc = scan_function(&req, bad);
	free(bytes);
	return rc;
}

/* The n bytes at a value, with INSN_ROOM more that can be read; NULL: not in the file. */
static const uint8_t *code_at(const struct search *s, struct window *w, uint64_t value,
			      size_t n)
{
	if (value < w->lo || value - w->lo > w->n || n > w->n - (value - w->lo)) {
		size_t size = (size_t)max_u64(n, WINDOW);

		if (size > w->cap) {
			free(w->bytes);
			w->bytes = oom_realloc(NULL, size + INSN_ROOM);
			w->cap = size;
		}
		w->lo = value;
		w->n = module_text_read(s->text, value, w->bytes, size);
		memset(w->bytes + w->n, 0, INSN_ROOM);
	}
	return n <= w->n - (value - w->lo) ? w->bytes + (value - w->lo) : NULL;
}

static void add_exit(void *ctx, const struct scan_site *site)
{
	struct worker *w = ctx;

	*vec_push(&w->found->exits) = site->offset;
	w->part.n++;
}

/* A part in which something cannot be decoded is left to who uses its memory. */
static void find_in_part(struct worker *w, const struct addr_range *ranges,
			 size_t nranges, size_t number)
{
	const struct search *s = w->search;
	struct addr_range ordered[EXITS_PARTS_MAX];
	size_t n = min_u64(ranges[number].hi.v - ranges[number].lo.v, EXITS_BYTES_MAX);
	size_t before = w->found->exits.len;
	struct scan_request req = {.n = n,
				   .ranges = ordered,
				   .nranges = nranges,
				   .site = add_exit,
				   .ctx = w,
				   .exits_only = true,
				   .is_quick = true,
				   .room = n + INSN_ROOM};
	uint32_t bad;

	exits_order(ranges, nranges, number, ordered);
	w->part = exits_part_of(&req, s->module->bias);
	if (exits_table_get(s->kept, &w->part))
		return;
	req.bytes = code_at(s, &w->windows[number > 0], w->part.at, n);
	if (!req.bytes)
		return;
	w->part.sum = exits_sum(&req);
	if (scan_function(&req, &bad) == 0)
		exits_table_add(w->found, w->part);
	else
		w->found->exits.len = before;
}

static void find_in_chunk(struct worker *w, size_t number)
{
	const struct search *s = w->search;
	struct chunk *chunk = &s->chunks[number];
	size_t end = min_u64((number + 1) * CHUNK, s->functions->len);
	struct addr_range ranges[EXITS_PARTS_MAX];

	w->found = &chunk->found;
	for (size_t i = number * CHUNK; i < end; i++) {
		size_t n = exits_ranges(s->module, s->functions->data[i], ranges);

		for (size_t k = 0; k < n; k++)
			find_in_part(w, ranges, n, k);
	}
	exits_table_sort(&chunk->found);
	atomic_store_explicit(&chunk->is_done, true, memory_order_release);
}

/* Takes a chunk. False: none is left, or tracing is to end. */
static bool work(struct worker *w)
{
	struct search *s = w->search;
	size_t chunk;

	if (atomic_load_explicit(&s->is_stopped, memory_order_relaxed))
		return false;
	chunk = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
	if (chunk < s->nchunks)
		find_in_chunk(w, chunk);
	return chunk < s->nchunks;
}

static void release_worker(struct worker *w)
{
	free(w->windows[0].bytes);
	free(w->windows[1].bytes);
}

static void help(void *ctx)
{
	struct worker w = {.search = ctx};

	while (work(&w))
		;
	release_worker(&w);
}

/* False: tracing is to end. */
static bool show(struct exits *x)
{
	const struct search *s = &x->search;
	size_t done = (size_t)min_u64(atomic_load(&s->next), s->nchunks) * CHUNK;

	return !progress_at(x->t, "finding returns", x->module->name, done,
			    s->functions->len);
}

/* Ends the helpers: they finish, unless tracing is to end. */
static void wait_helpers(struct exits *x)
{
	for (; x->nhelpers; x->nhelpers--)
		while (!background_wait(x->helpers[x->nhelpers - 1], WAIT_MS))
			if (!show(x))
				atomic_store(&x->search.is_stopped, true);
}

static bool is_done(const struct search *s, size_t chunk)
{
	return atomic_load_explicit(&s->chunks[chunk].is_done, memory_order_acquire);
}

/* False: tracing is to end. */
static bool await(struct exits *x, size_t chunk)
{
	while (!is_done(&x->search, chunk)) {
		if (!show(x))
			return false;
		if (work(&x->worker))
			continue;
		wait_helpers(x);
		return is_done(&x->search, chunk);
	}
	return true;
}

static void start(struct exits *x)
{
	size_t n = background_spare(min_u64(THREADS_MAX, x->search.nchunks) - 1);

	x->worker.search = &x->search;
	while (x->nhelpers < n)
		x->helpers[x->nhelpers++] = background_start(help, &x->search);
}

static struct plancache *cache_of(const struct tracer *t)
{
	return t->options.plancache == PLANCACHE_OFF ? NULL : t->plancache;
}

static void read_kept(struct exits *x)
{
	struct strbuf kept = {0};

	if (plancache_read_exits(cache_of(x->t), x->module, &kept) &&
	    !exits_table_read(&x->kept, &kept))
		x->is_wrong = true;
}

struct exits *exits_find(struct tracer *t, const struct module *m,
			 const struct exits_functions *functions)
{
	struct module_text *text;
	struct exits *x;

	if (functions->bytes < BYTES_MIN)
		return NULL;
	text = module_text_open(m);
	if (!text)
		return NULL;
	x = oom_calloc(1, sizeof(*x));
	x->t = t;
	x->module = m;
	x->search = (struct search){.module = m,
				    .text = text,
				    .functions = functions,
				    .kept = &x->kept,
				    .nchunks = (functions->len + CHUNK - 1) / CHUNK};
	x->search.chunks = oom_calloc(x->search.nchunks + 1, sizeof(struct chunk));
	read_kept(x);
	start(x);
	if (!show(x)) {
		exits_free(x);
		x = NULL;
	}
	return x;
}

/* Adds what was found to what was kept. False: it is nothing, or the search has ended. */
static bool join(struct exits *x)
{
	const struct search *s = &x->search;
	bool is_new = false;

	for (size_t i = 0; i < s->nchunks; i++) {
		if (!is_done(s, i))
			return false;
		is_new |= s->chunks[i].found.parts.len > 0;
		exits_table_join(&x->kept, &s->chunks[i].found);
		exits_table_release(&s->chunks[i].found);
	}
	exits_table_sort(&x->kept);
	return is_new;
}

static void release_search(struct search *s)
{
	for (size_t i = 0; i < s->nchunks; i++)
		exits_table_release(&s->chunks[i].found);
	free(s->chunks);
	module_text_close(s->text);
}

void exits_free(struct exits *x)
{
	struct strbuf bytes = {0};
	bool is_new;

	if (!x)
		return;
	atomic_store(&x->search.is_stopped, x->is_wrong || !cache_of(x->t));
	while (show(x) && work(&x->worker))
		;
	wait_helpers(x);
	is_new = join(x);
	release_worker(&x->worker);
	release_search(&x->search);
	if (x->is_wrong)
		plancache_reject_exits(cache_of(x->t), x->module);
	else if (is_new) {
		exits_table_write(&x->kept, &bytes);
		exits_table_release(&x->kept);
		plancache_write_exits(cache_of(x->t), x->module, &bytes);
	}
	strbuf_release(&bytes);
	exits_table_release(&x->kept);
	free(x);
}

/* The number of the first function that is not below the value. */
static size_t first_at(const struct exits_functions *functions, uint64_t value)
{
	size_t lo = 0, hi = functions->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (functions->data[mid]->value < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The part of the function, and the table that has it; NULL: none has. */
static const struct exits_part *find_part(struct exits *x, const struct symbol *sym,
					  const struct exits_part *wanted,
					  const struct exits_table **table)
{
	const struct exits_functions *functions = x->search.functions;
	const struct exits_part *part = exits_table_get_next(&x->kept, wanted);
	size_t i;

	*table = &x->kept;
	if (part)
		return part;
	i = first_at(functions, sym->value);
	if (i == functions->len || functions->data[i]->value != sym->value ||
	    !await(x, i / CHUNK))
		return NULL;
	*table = &x->search.chunks[i / CHUNK].found;
	return exits_table_get(*table, wanted);
}

/* decode() takes a while, and most exits are a byte that needs none. */
static bool is_exit(const struct scan_request *req, uint32_t offset)
{
	return (offset < req->n && req->bytes[offset] == RET) ||
	       scan_is_exit(req, offset);
}

bool exits_of(struct exits *x, const struct symbol *sym, const struct scan_request *req,
	      const uint32_t **offsets, size_t *n)
{
	const struct exits_table *table;
	const struct exits_part *part;
	struct exits_part wanted;
	bool is_right = true;

	if (!x || !req->exits_only)
		return false;
	wanted = exits_part_of(req, x->module->bias);
	part = find_part(x, sym, &wanted, &table);
	if (!part || part->sum != exits_sum(req))
		return false;
	*offsets = table->exits.data + part->first;
	*n = part->n;
	for (size_t i = 0; i < *n && is_right; i++)
		is_right = is_exit(req, (*offsets)[i]) &&
			   (!i || (*offsets)[i] > (*offsets)[i - 1]);
	x->is_wrong |= !is_right;
	return is_right;
}

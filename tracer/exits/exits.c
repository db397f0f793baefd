/* SPDX-License-Identifier: MIT */
/*
 * The functions are divided into chunks. This thread and its helpers each take the next
 * chunk that nobody has taken, and look for the exits in the code of the file. The
 * table gets the chunks in their order, whoever did them.
 */
#include "tracer/exits/exits.h"
#include "tracer/exits/table.h"
#include "tracer/output/progress.h"
#include "tracer/plancache/plancache.h"
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <sched.h>
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
#define WAIT_MS	    20 /* between looks whether tracing is to end */

struct exits {
	struct tracer *t;
	const struct module *module;
	struct exits_table table;
	bool is_new;   /* not all of it was kept */
	bool is_wrong; /* something that was kept is */
};

/* The search for exits that are not kept. */
struct search {
	const struct module *module;
	const struct module_text *text;
	const struct exits_functions *functions;
	const struct exits_table *kept;
	struct exits_table *chunks; /* what is not kept */
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

static void find_in_chunk(struct worker *w, size_t chunk)
{
	const struct search *s = w->search;
	size_t end = min_u64((chunk + 1) * CHUNK, s->functions->len);
	struct addr_range ranges[EXITS_PARTS_MAX];

	w->found = &s->chunks[chunk];
	for (size_t i = chunk * CHUNK; i < end; i++) {
		size_t n = exits_ranges(s->module, s->functions->data[i], ranges);

		for (size_t k = 0; k < n; k++)
			find_in_part(w, ranges, n, k);
	}
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

/* How many threads beside this one: one for each other processor, and no more. */
static size_t count_helpers(const struct search *s)
{
	cpu_set_t allowed;
	size_t n = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		n = (size_t)CPU_COUNT(&allowed);
	n = (size_t)min_u64(n, min_u64(THREADS_MAX, s->nchunks));
	return n ? n - 1 : 0;
}

/* False: tracing is to end. */
static bool show(struct exits *x, size_t done, size_t all)
{
	return !progress_at(x->t, "finding returns", x->module->name, done, all);
}

static bool run(struct exits *x, struct search *s)
{
	struct background *helpers[THREADS_MAX];
	size_t n = count_helpers(s);
	struct worker w = {.search = s};
	bool goes_on = true;

	for (size_t i = 0; i < n; i++)
		helpers[i] = background_start(help, s);
	while (goes_on && work(&w))
		goes_on = show(x, min_u64(atomic_load(&s->next), s->nchunks) * CHUNK,
			       s->functions->len);
	for (size_t i = 0; i < n; i++)
		while (!background_wait(helpers[i], WAIT_MS)) {
			goes_on = goes_on && show(x, 0, 0);
			atomic_store(&s->is_stopped, !goes_on);
		}
	release_worker(&w);
	return goes_on;
}

static void take_chunks(struct exits *x, struct search *s)
{
	for (size_t i = 0; i < s->nchunks; i++) {
		x->is_new |= s->chunks[i].parts.len > 0;
		exits_table_join(&x->table, &s->chunks[i]);
		exits_table_release(&s->chunks[i]);
	}
	free(s->chunks);
	exits_table_sort(&x->table);
}

static bool search(struct exits *x, const struct module_text *text,
		   const struct exits_functions *functions)
{
	size_t n = (functions->len + CHUNK - 1) / CHUNK;
	struct search s = {.module = x->module,
			   .text = text,
			   .functions = functions,
			   .kept = &x->table,
			   .chunks = oom_calloc(n + 1, sizeof(*s.chunks)),
			   .nchunks = n};
	bool is_done = run(x, &s);

	take_chunks(x, &s);
	return is_done;
}

static struct plancache *cache_of(const struct tracer *t)
{
	return t->options.plancache == PLANCACHE_OFF ? NULL : t->plancache;
}

static void read_kept(struct exits *x)
{
	struct strbuf kept = {0};
	size_t begin;

	if (plancache_read_exits(cache_of(x->t), x->module, &kept, &begin) &&
	    !exits_table_read(&x->table, &kept, begin))
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
	read_kept(x);
	if (!search(x, text, functions)) {
		x->is_new = false;
		exits_free(x);
		x = NULL;
	}
	module_text_close(text);
	return x;
}

void exits_free(struct exits *x)
{
	struct strbuf bytes = {0};

	if (!x)
		return;
	if (x->is_wrong)
		plancache_reject_exits(cache_of(x->t), x->module);
	else if (x->is_new) {
		exits_table_write(&x->table, &bytes);
		exits_table_release(&x->table);
		plancache_write_exits(cache_of(x->t), x->module, &bytes);
	}
	strbuf_release(&bytes);
	exits_table_release(&x->table);
	free(x);
}

bool exits_of(struct exits *x, const struct scan_request *req, const uint32_t **offsets,
	      size_t *n)
{
	const struct exits_part *part;
	struct exits_part wanted;
	bool is_right = true;

	if (!x || !req->exits_only)
		return false;
	wanted = exits_part_of(req, x->module->bias);
	part = exits_table_get(&x->table, &wanted);
	if (!part || part->sum != exits_sum(req))
		return false;
	*offsets = x->table.exits.data + part->first;
	*n = part->n;
	for (size_t i = 0; i < *n && is_right; i++)
		is_right = scan_is_exit(req, (*offsets)[i]) &&
			   (!i || (*offsets)[i] > (*offsets)[i - 1]);
	x->is_wrong |= !is_right;
	return is_right;
}

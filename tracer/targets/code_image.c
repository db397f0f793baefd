/* SPDX-License-Identifier: MIT */
#include "tracer/targets/code_image.h"
#include "vm/base/host/background.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* Bytes before and after a function that its plans may use. */
#define AROUND (64u << 10)
/* Bytes of code that are read at once, at least. */
#define WINDOW (256u << 10)

#define DATA_MIN   (256u << 10) /* smaller data stays in memory */
#define BLOCKS_MAX 16		/* of data that are there at once */

/* The arrays that struct hook_module points to. */
struct code_image_memory {
	struct module_code *file;
	struct background *search; /* for the branches; NULL: it has ended */
	struct {
		size_t area; /* of file */
		uint8_t *buf;
		size_t cap;
	} * windows; /* of code[i]; NULL: all of the code is there */
	struct {
		struct block {
			size_t part; /* data[part] */
			size_t from, n;
			uint64_t used;
			uint8_t *buf;
		} * data;
		size_t len, cap;
	} blocks;
	uint64_t uses;	    /* of blocks */
	bool is_incomplete; /* a block could not be read: branches may be missing */
	atomic_bool is_stopped;
	struct {
		struct hook_bytes *data;
		size_t len, cap;
	} code, data;
	struct ranges {
		struct addr_range *data;
		size_t len, cap;
	} functions, unwound;
	bool is_whole; /* branches are looked for in all code, not for these: */
	struct ranges parts;
	struct {
		struct hook_zone *data;
		size_t len, cap;
	} zones;
	struct {
		taddr *data;
		size_t len, cap;
	} pointers;
};

static struct addr_range range_of(uint64_t value, uint64_t size)
{
	return (struct addr_range){taddr_of(value), taddr_of(value + size)};
}

static void add_code(struct code_image_memory *v)
{
	static const enum hook_reason reasons[] = {
		[CODE_ZONE_RSEQ] = HOOK_REASON_RSEQ,
		[CODE_ZONE_SIGNAL] = HOOK_REASON_SIGNAL_FRAME,
		[CODE_ZONE_CANCEL] = HOOK_REASON_CANCELLATION,
	};
	const struct module_code *c = v->file;

	for (size_t i = 0; i < c->nareas; i++) {
		struct hook_bytes part = {.lo = taddr_of(c->areas[i].value),
					  .data = c->areas[i].data,
					  .n = c->areas[i].size};

		if (c->areas[i].is_code)
			*vec_push(&v->code) = part;
		else
			*vec_push(&v->data) = part;
	}
	for (size_t i = 0; i < c->nframes; i++)
		*vec_push(&v->unwound) =
			range_of(c->frames[i].value, c->frames[i].size);
	for (size_t i = 0; i < c->npointers; i++)
		*vec_push(&v->pointers) = taddr_of(c->pointers[i]);
	for (size_t i = 0; i < c->nzones; i++)
		*vec_push(&v->zones) = (struct hook_zone){
			range_of(c->zones[i].value, c->zones[i].size),
			reasons[c->zones[i].kind]};
}

static void add_functions(struct code_image_memory *v, const struct module *m)
{
	for (size_t i = 0; i < m->nsymbols; i++)
		*vec_push(&v->functions) =
			range_of(m->symbols[i].value, m->symbols[i].size);
	for (size_t i = 0; i < m->nparts; i++)
		*vec_push(&v->functions) =
			range_of(m->parts[i].value, m->parts[i].size);
	sort_runs(v->functions.data, v->functions.len, sizeof(*v->functions.data));
}

static struct hook_module module_of(const struct code_image_memory *v)
{
	return (struct hook_module){
		.code = v->code.data,
		.ncode = v->code.len,
		.data = v->data.data,
		.ndata = v->data.len,
		.functions = v->functions.data,
		.nfunctions = v->functions.len,
		.unwound = v->unwound.data,
		.nunwound = v->unwound.len,
		.pointers = v->pointers.data,
		.npointers = v->pointers.len,
		.zones = v->zones.data,
		.nzones = v->zones.len,
		.is_fixed = v->file->is_fixed,
		.is_stopped = &v->is_stopped,
	};
}

/* Without the branches. */
static int read_image(const struct module *m, bool is_whole, struct code_image **out,
		      struct err *e)
{
	struct module_code *file;
	struct code_image *v;
	int status = module_read_code(m, &file, e);

	for (size_t i = 0; !status && is_whole && i < file->nareas; i++)
		if (!module_code_hold_area(file, i))
			status = err_set(e, STATUS_IO, "'%s' is cut short", m->path);
	if (status) {
		module_code_free(file);
		return status;
	}
	v = oom_calloc(1, sizeof(*v));
	v->memory = oom_calloc(1, sizeof(*v->memory));
	v->memory->file = file;
	add_code(v->memory);
	module_code_drop_lists(file); /* there are copies */
	add_functions(v->memory, m);
	v->module = module_of(v->memory);
	*out = v;
	return 0;
}

static void find_branches(struct code_image *v)
{
	v->branches = hook_branches_begin(&v->module);
	vec_release(&v->memory->pointers);
	vec_release(&v->memory->functions);
	vec_release(&v->memory->unwound);
	v->module.pointers = NULL;
	v->module.functions = v->module.unwound = NULL;
	v->module.npointers = v->module.nfunctions = v->module.nunwound = 0;
	if (v->memory->is_whole)
		hook_branches_read(v->branches, &v->module);
	else
		hook_branches_read_for(v->branches, &v->module, v->memory->parts.data,
				       v->memory->parts.len);
	/* It led to branches; the plans need the code, and where data is. */
	module_code_drop_tables(v->memory->file);
	for (size_t i = 0; i < v->memory->data.len; i++)
		v->memory->data.data[i].data = NULL;
}

/* The area that the part number `part` of code, or of data, was made of. */
static size_t area_of(const struct code_image_memory *v, bool is_code, size_t part)
{
	size_t i = 0;

	while (v->file->areas[i].is_code != is_code || part--)
		i++;
	return i;
}

static void show_block(struct code_image_memory *v, struct block *block)
{
	struct hook_bytes *part = &v->data.data[block->part];

	block->used = ++v->uses;
	part->data = block->buf;
	part->from = block->from;
	part->held = block->n;
}

/* A block for other bytes: the one that was used least recently. */
static struct block *take_block(struct code_image_memory *v)
{
	struct block *oldest;

	if (v->blocks.len < BLOCKS_MAX) {
		oldest = vec_push(&v->blocks);
		*oldest = (struct block){.buf = oom_realloc(NULL, 2 * HOOK_HELD)};
		return oldest;
	}
	oldest = &v->blocks.data[0];
	for (size_t i = 1; i < v->blocks.len; i++)
		if (v->blocks.data[i].used < oldest->used)
			oldest = &v->blocks.data[i];
	v->data.data[oldest->part].held = 0;
	return oldest;
}

/* The block from byte `from` of the part on: HOOK_HELD bytes, and as many behind them. */
static void hold_block(struct code_image_memory *v, size_t part, size_t from)
{
	const struct code_area *area = &v->file->areas[area_of(v, false, part)];
	struct block *block;

	for (size_t i = 0; i < v->blocks.len; i++) {
		block = &v->blocks.data[i];
		if (block->part == part && block->from == from && block->n) {
			show_block(v, block);
			return;
		}
	}
	block = take_block(v);
	block->part = part;
	block->from = from;
	block->n = min_u64(2 * HOOK_HELD, area->size - from);
	if (!module_code_reread(v->file, area, from, block->buf, block->n)) {
		block->n = 0;
		v->is_incomplete = true;
	}
	show_block(v, block);
}

static void hold_data(void *ctx, taddr at)
{
	struct code_image_memory *v = ctx;

	for (size_t i = 0; i < v->data.len; i++) {
		const struct hook_bytes *part = &v->data.data[i];
		uint64_t skip = at.v - part->lo.v;

		if (at.v < part->lo.v || skip >= part->n)
			continue;
		if (part->is_window)
			hold_block(v, i, (size_t)(skip - skip % HOOK_HELD));
		return;
	}
}

/* Most of the data has no switch tables: what is read of it comes in blocks. */
static void drop_data(struct code_image *v)
{
	struct code_image_memory *memory = v->memory;

	for (size_t i = 0; i < memory->data.len; i++) {
		struct hook_bytes *part = &memory->data.data[i];
		size_t area = area_of(memory, false, i);

		if (part->n < DATA_MIN || !module_code_drop_area(memory->file, area))
			continue;
		part->data = NULL;
		part->is_window = true;
		v->module.hold = hold_data;
		v->module.hold_ctx = memory;
	}
}

static void release_blocks(struct code_image_memory *v)
{
	for (size_t i = 0; i < v->blocks.len; i++)
		free(v->blocks.data[i].buf);
	vec_release(&v->blocks);
}

/* Reads bytes [from, to) of code[i], and more behind them. */
static bool move_window(struct code_image_memory *v, size_t i, size_t from, size_t to)
{
	struct hook_bytes *code = &v->code.data[i];
	size_t n = min_u64(code->n, max_u64(to, from + WINDOW)) - from;

	if (n > v->windows[i].cap) {
		free(v->windows[i].buf);
		v->windows[i].buf = oom_realloc(NULL, n);
		v->windows[i].cap = n;
	}
	code->data = v->windows[i].buf;
	code->from = from;
	code->held = module_code_reread(v->file, &v->file->areas[v->windows[i].area],
					from, v->windows[i].buf, n)
			     ? n
			     : 0;
	return code->held;
}

static bool hold_code(struct code_image_memory *v, taddr lo, taddr hi)
{
	for (size_t i = 0; v->windows && i < v->code.len; i++) {
		const struct hook_bytes *code = &v->code.data[i];
		uint64_t from = max_u64(lo.v, code->lo.v + AROUND) - AROUND;
		uint64_t to = min_u64(hi.v, code->lo.v + code->n);

		if (!code->is_window || to <= code->lo.v ||
		    lo.v >= code->lo.v + code->n || lo.v >= hi.v)
			continue;
		from -= code->lo.v;
		to = min_u64(to - code->lo.v + AROUND, code->n);
		if ((from < code->from || to > code->from + code->held) &&
		    !move_window(v, i, from, to))
			return false;
	}
	return true;
}

static void hold_body(void *ctx, taddr lo, taddr hi)
{
	struct code_image_memory *v = ctx;

	if (!hold_code(v, lo, hi))
		v->is_incomplete = true;
}

static size_t read_code(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	struct code_image_memory *v = ctx;

	for (size_t i = 0; i < v->code.len; i++) {
		const struct hook_bytes *code = &v->code.data[i];
		const struct code_area *area = &v->file->areas[area_of(v, true, i)];
		uint64_t skip = at.v - code->lo.v;

		if (at.v < code->lo.v || skip >= code->n)
			continue;
		n = (size_t)min_u64(n, code->n - skip);
		if (!code->is_window)
			memcpy(buf, code->data + skip, n);
		else if (!module_code_reread(v->file, area, (size_t)skip, buf, n))
			v->is_incomplete = true;
		return v->is_incomplete ? 0 : n;
	}
	return 0;
}

/*
 * Branches are looked for, and plans are made, in the order of addresses: a window of the
 * code is enough.
 */
static void drop_code(struct code_image *v)
{
	struct code_image_memory *memory = v->memory;

	memory->windows = oom_calloc(memory->code.len + 1, sizeof(*memory->windows));
	for (size_t i = 0; i < memory->code.len; i++) {
		size_t area = area_of(memory, true, i);

		if (!module_code_drop_area(memory->file, area))
			continue;
		memory->windows[i].area = area;
		memory->code.data[i].data = NULL;
		memory->code.data[i].is_window = true;
		v->module.hold_code = hold_body;
		v->module.read_code = read_code;
		v->module.hold_ctx = memory;
	}
}

static void find_in_background(void *ctx)
{
	struct code_image *v = ctx;

	find_branches(v);
	release_blocks(v->memory);
	code_image_release_code(v);
}

void code_image_release_code(struct code_image *v)
{
	struct code_image_memory *memory = v->memory;

	for (size_t i = 0; memory->windows && i < memory->code.len; i++) {
		if (!memory->code.data[i].is_window)
			continue;
		free(memory->windows[i].buf);
		memory->windows[i].buf = NULL;
		memory->windows[i].cap = 0;
		memory->code.data[i].data = NULL;
		memory->code.data[i].held = 0;
	}
}

bool code_image_hold(struct code_image *v, taddr lo, taddr hi)
{
	return !v->memory->is_incomplete && hold_code(v->memory, lo, hi);
}

static void set_parts(struct code_image_memory *v, const struct code_parts *parts)
{
	v->is_whole = !parts;
	for (size_t i = 0; parts && i < parts->n; i++)
		*vec_push(&v->parts) = parts->data[i];
}

int code_image_new(const struct module *m, const struct code_parts *parts,
		   struct code_image **out, struct err *e)
{
	int status = read_image(m, true, out, e);

	if (status)
		return status;
	set_parts((*out)->memory, parts);
	find_branches(*out);
	return 0;
}

bool code_image_wait(struct code_image *v, unsigned ms)
{
	if (v->memory->search && background_wait(v->memory->search, ms))
		v->memory->search = NULL;
	return !v->memory->search;
}

void code_image_stop(struct code_image *v)
{
	atomic_store(&v->memory->is_stopped, true);
	code_image_wait(v, BACKGROUND_FOREVER);
}

bool code_image_is_cut(const struct code_image *v)
{
	return !hook_branches_are_read(v->branches);
}

/* All but the struct itself. */
static void release_image(struct code_image *v)
{
	code_image_stop(v);
	code_image_release_code(v);
	free(v->memory->windows);
	hook_branches_free(v->branches);
	module_code_free(v->memory->file);
	vec_release(&v->memory->code);
	vec_release(&v->memory->data);
	vec_release(&v->memory->functions);
	vec_release(&v->memory->unwound);
	vec_release(&v->memory->zones);
	vec_release(&v->memory->pointers);
	vec_release(&v->memory->parts);
	free(v->memory);
}

void code_image_free(struct code_image *v)
{
	if (!v)
		return;
	release_image(v);
	free(v);
}

/* Moves it to the end, the place of what was used last. */
static struct code_image *touch(struct code_images *cache, size_t i)
{
	struct module_stamp stamp = cache->data[i].stamp;
	struct code_image *image = cache->data[i].image;

	memmove(&cache->data[i], &cache->data[i + 1],
		(cache->len - i - 1) * sizeof(*cache->data));
	cache->data[cache->len - 1].stamp = stamp;
	cache->data[cache->len - 1].image = image;
	return image;
}

/* Whether the branches to all of these are known, or looked for. */
static bool has_parts(const struct code_image_memory *v, const struct code_parts *parts)
{
	size_t k = 0;

	for (size_t i = 0; !v->is_whole && parts && i < parts->n; i++) {
		const struct addr_range *part = &parts->data[i];

		while (k < v->parts.len && v->parts.data[k].hi.v < part->hi.v)
			k++;
		if (k == v->parts.len || v->parts.data[k].lo.v > part->lo.v)
			return false;
	}
	return v->is_whole || parts;
}

/* Begins to read the module's file. False: it cannot be. */
static bool begin_image(struct code_image *v, const struct module *m,
			const struct code_parts *parts)
{
	struct code_image *read;
	struct err e;

	if (read_image(m, false, &read, &e))
		return false;
	*v = *read;
	free(read);
	set_parts(v->memory, parts);
	drop_data(v);
	drop_code(v);
	v->memory->search = background_start(find_in_background, v);
	log_debug("plan", "read '%s'", m->path);
	return true;
}

/* One in the cache, for other parts as well. NULL: its file cannot be read. */
static struct code_image *extend_image(struct code_image *v, const struct module *m,
				       const struct code_parts *parts)
{
	struct code_image before = *v;

	if (has_parts(v->memory, parts))
		return v;
	code_image_stop(&before);
	if (!begin_image(v, m, NULL)) {
		*v = before;
		return NULL;
	}
	release_image(&before);
	return v;
}

struct code_image *code_images_get(struct code_images *cache, const struct module *m,
				   const struct code_parts *parts)
{
	struct module_stamp stamp;
	bool has_stamp = module_stamp(m, &stamp);
	struct code_image *image;

	for (size_t i = 0; has_stamp && i < cache->len; i++)
		if (module_is_same_stamp(&cache->data[i].stamp, &stamp))
			return extend_image(touch(cache, i), m, parts);
	image = oom_calloc(1, sizeof(*image));
	if (!begin_image(image, m, parts)) {
		free(image);
		return NULL;
	}
	vec_push(cache);
	cache->data[cache->len - 1].stamp = stamp;
	cache->data[cache->len - 1].image = image;
	return image;
}

void code_images_trim(struct code_images *cache, size_t n)
{
	size_t drop = cache->len > n ? cache->len - n : 0;

	for (size_t i = 0; i < drop; i++)
		code_image_free(cache->data[i].image);
	if (drop)
		memmove(cache->data, cache->data + drop, n * sizeof(*cache->data));
	cache->len -= drop;
}

void code_images_release(struct code_images *cache)
{
	code_images_trim(cache, 0);
	vec_release(cache);
}

/* SPDX-License-Identifier: MIT */
/*
 * Dynamic variables: self-> variables and associative arrays, in one hash table
 * shared by all contexts. An element is a chain of 64-byte cells, so that memory of
 * one size of element serves any other later:
 *
 *	buckets           cells
 *	+---+   next      +------+---------------+  next
 *	| o-+------------>| head | key | value...|------> head of another element
 *	+---+             +------+---------------+
 *	|   |                | more
 *	+---+             +--v---+---------------+
 *	                  | link | ... value     |
 *	                  +------+---------------+
 *
 * All work on a bucket is done under its claim. A claimant may die at any
 * instruction, so an element is complete before one store links it in, and
 * is unlinked by one store before its cells are freed: death leaks cells or
 * leaves a value half written, and nothing else.
 */
#include "vm/run/dynvar.h"
#include "vm/base/bytes.h"
#include "vm/base/hash.h"
#include "vm/run/firing.h"

#define LOST_CLAIMS_MAX 16u

struct cell {
	_Atomic uint32_t more; /* index + 1 of the element's next cell; free list */
	_Atomic uint32_t next; /* of a first cell: index + 1 in the bucket */
	union {
		unsigned char data[CELL_MORE_DATA];
		struct {
			uint64_t thread; /* 0 when not a self-> variable */
			uint32_t hash, var;
			uint32_t key_size, value_len;
			unsigned char data[CELL_HEAD_DATA];
		} head;
	} u;
};

_Static_assert(sizeof(struct cell) == CELL_BYTES, "cells are one cache line");

/* What identifies an element. */
struct dynkey {
	uint32_t var, size, hash, bucket;
	uint32_t nominal;  /* bytes of the element */
	struct slot *slot; /* of the firing */
	uint64_t thread;
	const void *bytes;
};

/* What a store writes; bytes NULL: nothing, or zeroes in a new element. */
struct dynvalue {
	const void *bytes;
	uint32_t len;
};

/* A stretch of an element's data. */
struct stretch {
	struct cell *cell; /* first of the element */
	uint32_t from, n;
};

enum transfer { TRANSFER_GET, TRANSFER_PUT, TRANSFER_COMPARE, TRANSFER_ZERO };

static struct cell *cell_at(const struct state *s, uint32_t link)
{
	if (link == 0 || link > s->ncells)
		return NULL;
	return (struct cell *)layout_at(s, s->cells_at) + (link - 1);
}

static _Atomic uint32_t *bucket_at(const struct state *s, uint32_t i)
{
	return (_Atomic uint32_t *)layout_at(s, s->buckets_at) + i;
}

static uint32_t load_link(const _Atomic uint32_t *link)
{
	return atomic_load_explicit(link, memory_order_acquire);
}

static void place_key(const struct state *s, struct dynkey *k)
{
	uint64_t seed = hash_u64(k->thread + ((uint64_t)k->var << 48));
	uint64_t hash = hash_bytes(k->bytes, k->size, seed);

	k->hash = (uint32_t)(hash >> 32);
	k->bucket = (uint32_t)hash & (s->nbuckets - 1);
}

static struct dynkey make_key(const struct firing *f, uint32_t var)
{
	const struct program_var *v = program_var(f->vm->image, var);
	bool is_self = v->scope == SCOPE_SELF || v->scope == SCOPE_SELF_ARRAY;
	struct dynkey k;

	k.var = var;
	k.nominal = v->nominal;
	k.slot = f->slot;
	k.thread = is_self ? f->vm->thread : 0;
	k.bytes = tuple_top(f, &k.size);
	place_key(f->vm->state, &k);
	return k;
}

static bool transfer_piece(unsigned char *at, unsigned char *buf, uint32_t n,
			   enum transfer how)
{
	if (how == TRANSFER_COMPARE)
		return bytes_compare(at, buf, n) == 0;
	if (how == TRANSFER_PUT)
		bytes_copy(at, buf, n);
	else if (how == TRANSFER_ZERO)
		bytes_zero(at, n);
	else
		bytes_copy(buf, at, n);
	return true;
}

/* Between an element's data and buf (not ZERO); false: it is cut off, or differs. */
static bool transfer(const struct state *s, struct stretch x, void *buf,
		     enum transfer how)
{
	unsigned char *data = x.cell->u.head.data;
	uint32_t room = CELL_HEAD_DATA, done = 0;

	for (;;) {
		uint32_t n = 0;

		if (x.from < room) {
			n = (uint32_t)min_u64(room - x.from, x.n);
			if (!transfer_piece(data + x.from,
					    buf ? (unsigned char *)buf + done : NULL, n,
					    how))
				return false;
			x.from = room;
		}
		done += n;
		x.n -= n;
		x.from -= room;
		if (x.n == 0)
			return true;
		x.cell = cell_at(s, load_link(&x.cell->more));
		if (!x.cell)
			return false;
		data = x.cell->u.data;
		room = CELL_MORE_DATA;
	}
}

static bool is_match(const struct state *s, struct cell *c, const struct dynkey *k)
{
	struct stretch key = {c, 0, k->size};

	return c->u.head.hash == k->hash && c->u.head.var == k->var &&
	       c->u.head.thread == k->thread && c->u.head.key_size == k->size &&
	       transfer(s, key, (void *)(uintptr_t)k->bytes, TRANSFER_COMPARE);
}

/* The element's cell or NULL; *link is the word that leads to it, or the bucket. */
static struct cell *find(const struct state *s, const struct dynkey *k,
			 _Atomic uint32_t **link)
{
	_Atomic uint32_t *from = bucket_at(s, k->bucket);

	*link = from;
	for (uint32_t i = 0; i < CHAIN_MAX; i++) {
		struct cell *c = cell_at(s, load_link(from));

		if (!c)
			return NULL;
		if (is_match(s, c, k)) {
			*link = from;
			return c;
		}
		from = &c->next;
	}
	return NULL;
}

/* How many cells the element has; no more than the largest one. */
static uint32_t count_cells(const struct cell *c)
{
	uint64_t bytes = (uint64_t)c->u.head.key_size + c->u.head.value_len;

	return cells_for(min_u64(bytes, TUPLE_BYTES + PROGRAM_STRSIZE_MAX));
}

/* Gives n cells of an unlinked element back. */
static void free_cells(struct state *s, uint32_t link, uint32_t n)
{
	struct freelist_items items = layout_cells(s);
	struct cell *c = cell_at(s, link);

	while (c && n--) {
		uint32_t more = load_link(&c->more);

		freelist_give(&layout_variables(s)->cells, &items, link - 1);
		link = more;
		c = cell_at(s, link);
	}
}

/* n chained cells, as the link to the first; 0 when there are not enough. */
static uint32_t take_cells(struct state *s, uint32_t n)
{
	struct freelist_items items = layout_cells(s);
	uint32_t link = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t index = freelist_take(&layout_variables(s)->cells, &items);

		if (index == FREELIST_NONE) {
			free_cells(s, link, i);
			return 0;
		}
		atomic_store_explicit(&cell_at(s, index + 1)->more, link,
				      memory_order_relaxed);
		link = index + 1;
	}
	return link;
}

/*
 * Of what is counted against dynvarsize, a slot keeps this much for its next elements:
 * one that is made and deleted at each call then needs no word that others write.
 */
#define SPARE_SHARE 16384u
#define SPARE_MOST  4096u

/* Counts an element; false: there is no room for it. */
static bool take_room(struct state *s, const struct dynkey *k)
{
	_Atomic uint64_t *all = &layout_variables(s)->nominal;
	uint64_t n = k->nominal, before;

	if (k->slot->spare_nominal >= n) {
		k->slot->spare_nominal -= n;
		return true;
	}
	before = atomic_fetch_add_explicit(all, n, memory_order_relaxed);
	if (before + n <= s->config.dynvarsize)
		return true;
	atomic_fetch_sub_explicit(all, n, memory_order_relaxed);
	return false;
}

static void give_to_all(struct state *s, uint64_t n)
{
	atomic_fetch_sub_explicit(&layout_variables(s)->nominal, n,
				  memory_order_relaxed);
}

static void give_room(struct state *s, const struct dynkey *k)
{
	uint64_t most = min_u64(s->config.dynvarsize / SPARE_SHARE, SPARE_MOST);

	if (k->slot->spare_nominal + k->nominal <= most)
		k->slot->spare_nominal += k->nominal;
	else
		give_to_all(s, k->nominal);
}

/* A complete element in front of next; its link, or 0 for no room. */
static uint32_t make_element(struct state *s, const struct dynkey *k,
			     const struct dynvalue *v, uint32_t next)
{
	uint32_t link = take_cells(s, cells_for((uint64_t)k->size + v->len));
	struct cell *c = cell_at(s, link);

	if (!c)
		return 0;
	c->u.head.thread = k->thread;
	c->u.head.hash = k->hash;
	c->u.head.var = k->var;
	c->u.head.key_size = k->size;
	c->u.head.value_len = v->len;
	transfer(s, (struct stretch){c, 0, k->size}, (void *)(uintptr_t)k->bytes,
		 TRANSFER_PUT);
	transfer(s, (struct stretch){c, k->size, v->len}, (void *)(uintptr_t)v->bytes,
		 v->bytes ? TRANSFER_PUT : TRANSFER_ZERO);
	atomic_store_explicit(&c->next, next, memory_order_relaxed);
	return link;
}

/* Another element, counted; its link, or 0 for no room. */
static uint32_t add_element(struct state *s, const struct dynkey *k,
			    const struct dynvalue *v, uint32_t next)
{
	uint32_t link;

	if (!take_room(s, k))
		return 0;
	link = make_element(s, k, v, next);
	if (!link)
		give_room(s, k);
	return link;
}

static void unlink_element(struct state *s, _Atomic uint32_t *link, struct cell *c)
{
	uint32_t old = load_link(link), n = count_cells(c);

	atomic_store_explicit(link, load_link(&c->next), memory_order_release);
	free_cells(s, old, n);
}

/* Overwrites where the new value needs as many cells; false: no room. */
static bool put(struct state *s, const struct dynkey *k, const struct dynvalue *v)
{
	_Atomic uint32_t *link;
	struct cell *c = find(s, k, &link);
	uint32_t old = load_link(link), made;

	if (!v->bytes) {
		if (c) {
			unlink_element(s, link, c);
			give_room(s, k);
		}
		return true;
	}
	if (c && cells_for((uint64_t)k->size + c->u.head.value_len) ==
			 cells_for((uint64_t)k->size + v->len)) {
		c->u.head.value_len = v->len;
		return transfer(s, (struct stretch){c, k->size, v->len},
				(void *)(uintptr_t)v->bytes, TRANSFER_PUT);
	}
	made = c ? make_element(s, k, v, load_link(&c->next))
		 : add_element(s, k, v, old);
	if (!made)
		return false;
	atomic_store_explicit(link, made, memory_order_release);
	if (c)
		free_cells(s, old, count_cells(c));
	return true;
}

enum fault dynvar_store(struct firing *f, uint32_t var, uint64_t value)
{
	const struct program_var *v = program_var(f->vm->image, var);
	struct state *s = f->vm->state;
	struct dynkey k = make_key(f, var);
	struct dynvalue x = {value ? &value : NULL, sizeof(value)};
	bool done = false;

	if (v->value.kind != KIND_INT) {
		const unsigned char *bytes;
		enum fault fault = vars_content(f, &v->value, value, &bytes, &x.len);

		if (fault != FAULT_NONE)
			return fault;
		x.bytes = bytes;
	}
	if (claim_take(s, k.bucket, f->vm->slot)) {
		done = put(s, &k, &x);
		claim_give(s, k.bucket, f->vm->slot);
	}
	if (!done)
		layout_count(&f->slot->drops.dynvars);
	return FAULT_NONE;
}

/* The value of a present element; a string or struct is copied to scratch. */
static enum fault get(struct firing *f, const struct dynkey *k, struct cell *c,
		      uint64_t *out)
{
	const struct state *s = f->vm->state;
	const struct program_field *field = &program_var(f->vm->image, k->var)->value;
	struct stretch value = {c, k->size, sizeof(*out)};
	unsigned char *room;
	enum fault fault;

	if (field->kind == KIND_INT) {
		transfer(s, value, out, TRANSFER_GET);
		return FAULT_NONE;
	}
	value.n = (uint32_t)min_u64(c->u.head.value_len, field->size);
	fault = vars_make_room(f, field, value.n, &room, out);
	if (fault == FAULT_NONE)
		transfer(s, value, room, TRANSFER_GET);
	return fault;
}

static enum fault load_absent(struct firing *f, uint32_t var, uint64_t *out)
{
	const struct program_field *field = &program_var(f->vm->image, var)->value;
	unsigned char *room;

	*out = 0;
	if (field->kind != KIND_BYTES)
		return FAULT_NONE;
	return vars_make_room(f, field, 0, &room, out);
}

/*
 * The thread's own element, when it is found without a claim: no other thread writes
 * it or unlinks it, so where it is found it is. Others may change the chain on the
 * way there; an element that is not found may be there all the same.
 */
static struct cell *find_own(const struct state *s, const struct dynkey *k)
{
	_Atomic uint32_t *link;

	return k->thread ? find(s, k, &link) : NULL;
}

enum fault dynvar_load(struct firing *f, uint32_t var, uint64_t *out)
{
	struct state *s = f->vm->state;
	struct dynkey k = make_key(f, var);
	_Atomic uint32_t *link;
	struct cell *c;
	enum fault fault;

	if (load_link(bucket_at(s, k.bucket)) == 0)
		return load_absent(f, var, out);
	c = find_own(s, &k);
	if (c)
		return get(f, &k, c, out);
	if (!claim_take(s, k.bucket, f->vm->slot)) {
		layout_count(&f->slot->drops.dynvars);
		return load_absent(f, var, out);
	}
	c = find(s, &k, &link);
	*out = 0;
	fault = c ? get(f, &k, c, out) : load_absent(f, var, out);
	claim_give(s, k.bucket, f->vm->slot);
	return fault;
}

enum fault dynvar_load_subobject(struct firing *f, uint32_t var, struct subobject sub,
				 uint64_t *out)
{
	struct state *s = f->vm->state;
	struct dynkey k = make_key(f, var);
	unsigned size = sub.access & 15;
	unsigned char bytes[8];
	_Atomic uint32_t *link;
	struct cell *c;

	*out = 0;
	if (!subobject_fits(&sub, &program_var(f->vm->image, var)->value))
		return firing_bad_address(f, sub.offset);
	if (!claim_take(s, k.bucket, f->vm->slot)) {
		layout_count(&f->slot->drops.dynvars);
		return FAULT_NONE;
	}
	c = find(s, &k, &link);
	if (c && transfer(s, (struct stretch){c, k.size + (uint32_t)sub.offset, size},
			  bytes, TRANSFER_GET))
		*out = subobject_extend(bytes_load(bytes, size), sub.access);
	claim_give(s, k.bucket, f->vm->slot);
	return FAULT_NONE;
}

/* An integer in a struct or array of so many bytes. */
struct put_subobject {
	uint32_t size;
	struct subobject sub;
	uint64_t value;
};

static bool put_bytes(const struct state *s, const struct dynkey *k, struct cell *c,
		      const struct put_subobject *p)
{
	const uint32_t n = p->sub.access & 15;
	unsigned char bytes[8];

	bytes_store(bytes, p->value, n);
	return transfer(s, (struct stretch){c, k->size + (uint32_t)p->sub.offset, n},
			bytes, TRANSFER_PUT);
}

/* In place where there is an element; else a new one, zero but for the sub. */
static bool put_subobject(struct state *s, const struct dynkey *k,
			  const struct put_subobject *p)
{
	const struct dynvalue zeroes = {NULL, p->size};
	_Atomic uint32_t *link;
	struct cell *c = find(s, k, &link);
	uint32_t made;

	if (c)
		return put_bytes(s, k, c, p);
	made = add_element(s, k, &zeroes, load_link(link));
	if (!made)
		return false;
	put_bytes(s, k, cell_at(s, made), p);
	atomic_store_explicit(link, made, memory_order_release);
	return true;
}

enum fault dynvar_store_subobject(struct firing *f, uint32_t var, struct subobject sub,
				  uint64_t value)
{
	const struct program_field *field = &program_var(f->vm->image, var)->value;
	struct state *s = f->vm->state;
	struct dynkey k = make_key(f, var);
	const struct put_subobject p = {field->size, sub, value};
	bool done = false;

	if (!subobject_fits(&sub, field))
		return firing_bad_address(f, sub.offset);
	if (claim_take(s, k.bucket, f->vm->slot)) {
		done = put_subobject(s, &k, &p);
		claim_give(s, k.bucket, f->vm->slot);
	}
	if (!done)
		layout_count(&f->slot->drops.dynvars);
	return FAULT_NONE;
}

/* ---- by address ---- */

void dynvar_address(struct firing *f, uint32_t var, uint64_t *out)
{
	const struct dynvalue zeroes = {NULL,
					program_var(f->vm->image, var)->value.size};
	struct state *s = f->vm->state;
	struct dynkey k = make_key(f, var);
	_Atomic uint32_t *link;
	uint32_t cell = 0;

	if (claim_take(s, k.bucket, f->vm->slot)) {
		if (find(s, &k, &link)) {
			cell = load_link(link);
		} else {
			cell = add_element(s, &k, &zeroes, load_link(link));
			if (cell)
				atomic_store_explicit(link, cell, memory_order_release);
		}
		claim_give(s, k.bucket, f->vm->slot);
	}
	if (!cell)
		layout_count(&f->slot->drops.dynvars);
	*out = cell ? VM_ADDR_CELLS + ((uint64_t)cell << VM_ADDR_OFFSET_BITS) : 0;
}

/* The variable that the cell names, whatever is there; UINT32_MAX: there is no cell. */
static uint32_t var_of_cell(const struct state *s, uint32_t cell)
{
	struct cell *c = cell_at(s, cell);

	return c ? __atomic_load_n(&c->u.head.var, __ATOMIC_RELAXED) : UINT32_MAX;
}

const struct program_var *dynvar_of_cell(const struct firing *f, uint32_t cell)
{
	uint32_t var = var_of_cell(f->vm->state, cell);
	const struct program_var *v;

	if (var >= program_count(f->vm->image, SECTION_VAR))
		return NULL;
	v = program_var(f->vm->image, var);
	return v->scope == SCOPE_SELF && v->value.kind == KIND_BYTES ? v : NULL;
}

/*
 * What the cell says leads to a bucket. The element is used only if it is in that
 * chain: not one that was freed, nor bytes that look like one.
 */
static bool transfer_by_cell(struct firing *f, uint32_t cell, struct piece p, void *buf,
			     enum transfer how)
{
	struct state *s = f->vm->state;
	struct cell *c = cell_at(s, cell);
	struct dynkey k = {.var = var_of_cell(s, cell), .bytes = ""};
	_Atomic uint32_t *link;
	bool is_there;

	k.thread = __atomic_load_n(&c->u.head.thread, __ATOMIC_RELAXED);
	place_key(s, &k);
	if (!claim_take(s, k.bucket, f->vm->slot)) {
		layout_count(&f->slot->drops.dynvars);
		return true;
	}
	is_there = find(s, &k, &link) == c &&
		   transfer(s, (struct stretch){c, (uint32_t)p.offset, (uint32_t)p.n},
			    buf, how);
	claim_give(s, k.bucket, f->vm->slot);
	return is_there;
}

bool dynvar_read(struct firing *f, uint32_t cell, struct piece p, void *buf)
{
	bytes_zero(buf, p.n);
	return transfer_by_cell(f, cell, p, buf, TRANSFER_GET);
}

bool dynvar_write(struct firing *f, uint32_t cell, struct piece p, const void *bytes)
{
	return transfer_by_cell(f, cell, p, (void *)(uintptr_t)bytes, TRANSFER_PUT);
}

/* What a walk over all elements may still do: no more than an honest block asks for. */
struct budget {
	const void *image;
	uint64_t elements;    /* to be looked at */
	uint64_t cells;	      /* to be freed */
	uint32_t lost_claims; /* each costs CLAIM_RETRIES */
};

/* Of an element in memory that anyone may have written. */
static uint32_t nominal_of(const void *image, const struct cell *c)
{
	uint32_t var = __atomic_load_n(&c->u.head.var, __ATOMIC_RELAXED);

	return var < program_count(image, SECTION_VAR)
		       ? program_var(image, var)->nominal
		       : 0;
}

/*
 * Unlinks the thread's elements of one bucket, under its claim. False: there are more
 * elements or cells than the block has room for, so they form circles.
 */
static bool forget_in_bucket(struct state *s, uint32_t bucket, uint64_t thread,
			     struct budget *left)
{
	_Atomic uint32_t *link = bucket_at(s, bucket);
	struct cell *c;

	while ((c = cell_at(s, load_link(link)))) {
		uint32_t cells = count_cells(c), nominal;

		if (!left->elements--)
			return false;
		if (c->u.head.thread != thread) {
			link = &c->next;
			continue;
		}
		if (cells > left->cells)
			return false;
		left->cells -= cells;
		nominal = nominal_of(left->image, c);
		unlink_element(s, link, c);
		give_to_all(s, nominal);
	}
	return true;
}

void dynvar_forget_thread(struct state *s, const void *image, uint32_t slot,
			  uint64_t thread)
{
	struct budget left = {image, s->ncells, s->ncells, LOST_CLAIMS_MAX};
	bool goes_on = true;

	if (!atomic_load_explicit(&layout_variables(s)->cells.fresh,
				  memory_order_relaxed))
		return;
	for (uint32_t i = 0; i < s->nbuckets && goes_on; i++) {
		if (load_link(bucket_at(s, i)) == 0)
			continue;
		if (!claim_take(s, i, slot)) {
			layout_count(&layout_slot(s, slot)->drops.dynvars);
			goes_on = left.lost_claims-- > 0;
			continue;
		}
		goes_on = forget_in_bucket(s, i, thread, &left);
		claim_give(s, i, slot);
	}
	if (!goes_on)
		layout_count(&layout_slot(s, slot)->drops.dynvars);
}

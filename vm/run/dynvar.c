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
#include "vm/run/own_cell.h"

#define LOST_CLAIMS_MAX 16u

static void place_key(const struct state *s, struct dynkey *k)
{
	uint64_t seed = hash_u64(k->thread + ((uint64_t)k->var << 48));
	uint64_t hash = hash_bytes(k->bytes, k->size, seed);

	k->hash = (uint32_t)(hash >> 32);
	k->bucket = (uint32_t)hash & (s->nbuckets - 1);
}

static struct dynkey key_of(const struct vm *vm, uint32_t var, struct dynvar_key key)
{
	const struct program_var *v = program_var(vm->image, var);
	bool is_self = v->scope == SCOPE_SELF || v->scope == SCOPE_SELF_ARRAY;
	struct dynkey k;

	k.var = var;
	k.nominal = v->nominal;
	k.slot = layout_slot(vm->state, vm->slot);
	k.thread = is_self ? vm->thread : 0;
	k.bytes = key.bytes;
	k.size = key.size;
	place_key(vm->state, &k);
	return k;
}

static struct dynvar_key key_in(const struct firing *f)
{
	struct dynvar_key key;

	key.bytes = tuple_top(f, &key.size);
	return key;
}

static struct dynkey make_key(const struct firing *f, uint32_t var)
{
	return key_of(f->vm, var, key_in(f));
}

/* Under the claim of its bucket. What finds no room is counted as a drop. */
static void store(const struct vm *vm, const struct dynkey *k, const struct dynvalue *v)
{
	struct state *s = vm->state;
	bool done = false;

	if (claim_take(s, k->bucket, vm->slot)) {
		done = cell_put(s, k, v);
		claim_give(s, k->bucket, vm->slot);
	}
	if (!done)
		layout_count(&k->slot->drops.dynvars);
}

/* A thread's own integer, under the claim of its bucket; false: no room. */
static bool put_own(const struct vm *vm, const struct dynkey *k,
		    const struct dynvalue *v)
{
	uint64_t value = v->bytes ? *(const uint64_t *)v->bytes : 0;
	struct cell *c = own_cell_find(vm, k);

	if (c) {
		own_cell_set(vm, c, k->nominal, value);
		return true;
	}
	if (value && own_cell_make(vm, k, value))
		return true;
	return cell_put(vm->state, k, v);
}

/* The claim is taken once: an own element is never put like any other. */
static void store_own(const struct vm *vm, const struct dynkey *k,
		      const struct dynvalue *v)
{
	struct state *s = vm->state;
	bool done = false;

	if (claim_take(s, k->bucket, vm->slot)) {
		done = put_own(vm, k, v);
		claim_give(s, k->bucket, vm->slot);
	}
	if (!done)
		layout_count(&k->slot->drops.dynvars);
}

void dynvar_store_integer(const struct vm *vm, uint32_t var, struct dynvar_key key,
			  uint64_t value)
{
	const struct program_var *v = program_var(vm->image, var);
	const struct dynvalue x = {value ? &value : NULL, sizeof(value)};
	bool is_own = own_cell_is_for(vm, v);
	struct cell *c = is_own ? own_cell_remembered(vm, var) : NULL;
	struct dynkey k;

	if (c) {
		own_cell_set(vm, c, v->nominal, value);
		return;
	}
	k = key_of(vm, var, key);
	if (is_own)
		store_own(vm, &k, &x);
	else
		store(vm, &k, &x);
}

enum fault dynvar_store(struct firing *f, uint32_t var, uint64_t value)
{
	const struct program_var *v = program_var(f->vm->image, var);
	const unsigned char *bytes;
	struct dynvalue x;
	struct dynkey k;
	enum fault fault;

	if (v->value.kind == KIND_INT) {
		dynvar_store_integer(f->vm, var, key_in(f), value);
		return FAULT_NONE;
	}
	fault = vars_content(f, &v->value, value, &bytes, &x.len);
	if (fault != FAULT_NONE)
		return fault;
	x.bytes = bytes;
	k = make_key(f, var);
	store(f->vm, &k, &x);
	return FAULT_NONE;
}

/* A present string or struct is copied to scratch memory. */
static enum fault get(struct firing *f, const struct dynkey *k, struct cell *c,
		      uint64_t *out)
{
	const struct state *s = f->vm->state;
	const struct program_field *field = &program_var(f->vm->image, k->var)->value;
	struct stretch value = {c, k->size, 0};
	unsigned char *room;
	enum fault fault;

	value.n = (uint32_t)min_u64(cell_value_len(c), field->size);
	fault = vars_make_room(f, field, value.n, &room, out);
	if (fault == FAULT_NONE)
		cell_transfer(s, value, room, TRANSFER_GET);
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

	return k->thread ? cell_find(s, k, &link) : NULL;
}

static uint64_t integer_of(const struct state *s, const struct dynkey *k,
			   struct cell *c)
{
	uint64_t value = 0;

	if (c)
		cell_transfer(s, (struct stretch){c, k->size, sizeof(value)}, &value,
			      TRANSFER_GET);
	return value;
}

uint64_t dynvar_load_integer(const struct vm *vm, uint32_t var, struct dynvar_key key)
{
	bool is_own = own_cell_is_for(vm, program_var(vm->image, var));
	struct cell *c = is_own ? own_cell_remembered(vm, var) : NULL;
	struct state *s = vm->state;
	_Atomic uint32_t *link;
	struct dynkey k;
	uint64_t value;

	if (c)
		return own_cell_value(c);
	k = key_of(vm, var, key);
	if (cell_link(cell_bucket(s, k.bucket)) == 0)
		return 0;
	c = is_own ? own_cell_find(vm, &k) : NULL;
	if (!c)
		c = find_own(s, &k);
	if (c)
		return integer_of(s, &k, c);
	if (!claim_take(s, k.bucket, vm->slot)) {
		layout_count(&k.slot->drops.dynvars);
		return 0;
	}
	value = integer_of(s, &k, cell_find(s, &k, &link));
	claim_give(s, k.bucket, vm->slot);
	return value;
}

enum fault dynvar_load(struct firing *f, uint32_t var, uint64_t *out)
{
	struct state *s = f->vm->state;
	_Atomic uint32_t *link;
	struct dynkey k;
	struct cell *c;
	enum fault fault;

	if (program_var(f->vm->image, var)->value.kind == KIND_INT) {
		*out = dynvar_load_integer(f->vm, var, key_in(f));
		return FAULT_NONE;
	}
	k = make_key(f, var);
	if (cell_link(cell_bucket(s, k.bucket)) == 0)
		return load_absent(f, var, out);
	c = find_own(s, &k);
	if (c)
		return get(f, &k, c, out);
	if (!claim_take(s, k.bucket, f->vm->slot)) {
		layout_count(&f->slot->drops.dynvars);
		return load_absent(f, var, out);
	}
	c = cell_find(s, &k, &link);
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
	c = cell_find(s, &k, &link);
	if (c &&
	    cell_transfer(s, (struct stretch){c, k.size + (uint32_t)sub.offset, size},
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
	return cell_transfer(s,
			     (struct stretch){c, k->size + (uint32_t)p->sub.offset, n},
			     bytes, TRANSFER_PUT);
}

/* In place where there is an element; else a new one, zero but for the sub. */
static bool put_subobject(struct state *s, const struct dynkey *k,
			  const struct put_subobject *p)
{
	const struct dynvalue zeroes = {NULL, p->size};
	_Atomic uint32_t *link;
	struct cell *c = cell_find(s, k, &link);
	uint32_t made;

	if (c)
		return put_bytes(s, k, c, p);
	made = cell_add(s, k, &zeroes, cell_link(link));
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
		if (cell_find(s, &k, &link)) {
			cell = cell_link(link);
		} else {
			cell = cell_add(s, &k, &zeroes, cell_link(link));
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
	is_there =
		cell_find(s, &k, &link) == c &&
		cell_transfer(s, (struct stretch){c, (uint32_t)p.offset, (uint32_t)p.n},
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
	_Atomic uint32_t *link = cell_bucket(s, bucket);
	struct cell *c;

	while ((c = cell_at(s, cell_link(link)))) {
		uint32_t cells = cell_count(c), nominal;

		if (!left->elements--)
			return false;
		if (c->u.head.thread != thread) {
			link = &c->next;
			continue;
		}
		if (cells > left->cells)
			return false;
		left->cells -= cells;
		nominal = own_cell_release(s, c) ? nominal_of(left->image, c) : 0;
		cell_unlink(s, link, c);
		cell_give_to_all(s, nominal);
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
		if (cell_link(cell_bucket(s, i)) == 0)
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

/* SPDX-License-Identifier: MIT */
/*
 * Global variables and clause-locals. A global integer is one word, read and
 * written whole. A string or struct is a word (0: never assigned; HELD_NULL: NULL; else
 * its length + 1) and the content, copied under a claim so that a reader never sees half
 * of a store. A string that was never assigned is empty.
 */
#include "vm/base/bytes.h"
#include "vm/run/firing.h"

#define HELD_NULL    UINT64_MAX
#define EMPTY_STRING VM_ADDR_IMAGE /* a program's strings begin with it */
#define LOCAL_NULL   1		   /* in the word of a clause-local string */

static _Atomic uint64_t *global_word(const struct firing *f,
				     const struct program_var *v)
{
	const struct state *s = f->vm->state;

	return layout_at(s, s->globals_at + v->storage);
}

/* No other slot uses the global until claim_end(). False: that is counted as a drop. */
static bool claim(const struct firing *f, const struct program_var *v)
{
	if (claim_take(f->vm->state, v->storage / 8, f->vm->slot))
		return true;
	layout_count(&f->slot->drops.dynvars);
	return false;
}

static void claim_end(const struct firing *f, const struct program_var *v)
{
	claim_give(f->vm->state, v->storage / 8, f->vm->slot);
}

enum fault vars_content(struct firing *f, const struct program_field *field,
			uint64_t addr, const unsigned char **bytes, uint32_t *len)
{
	const char *text;
	enum fault fault;

	*bytes = NULL;
	*len = 0;
	if (!addr)
		return FAULT_NONE;
	if (field->kind == KIND_BYTES) {
		*len = field->size;
		return memory_bytes(f, addr, field->size, bytes);
	}
	fault = memory_string(f, addr, &text, len);
	if (*len > field->size)
		*len = field->size;
	*bytes = (const unsigned char *)text;
	return fault;
}

enum fault vars_make_room(struct firing *f, const struct program_field *field,
			  uint32_t len, unsigned char **room, uint64_t *addr)
{
	uint64_t n = field->kind == KIND_BYTES ? field->size : (uint64_t)len + 1;
	uint32_t at;

	if (!scratch_take(f, n, &at))
		return FAULT_NOSCRATCH;
	*room = f->slot->scratch + at;
	bytes_zero(*room + len, n - len);
	*addr = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

static enum fault load_content(struct firing *f, const struct program_var *v,
			       uint64_t *out)
{
	_Atomic uint64_t *word = global_word(f, v);
	uint64_t held = atomic_load_explicit(word, memory_order_relaxed);
	uint32_t len = held ? (uint32_t)min_u64(held - 1, v->value.size) : 0;
	unsigned char *room;
	enum fault fault;

	if (v->value.kind == KIND_STR && (!held || held == HELD_NULL)) {
		*out = held ? 0 : EMPTY_STRING;
		return FAULT_NONE;
	}
	fault = vars_make_room(f, &v->value, len, &room, out);
	if (fault == FAULT_NONE)
		bytes_copy(room, word + 1, len);
	return fault;
}

enum fault vars_load(struct firing *f, const struct program_var *v, uint64_t *out)
{
	unsigned char *room;
	enum fault fault;

	*out = 0;
	if (v->value.kind == KIND_INT) {
		*out = atomic_load_explicit(global_word(f, v), memory_order_relaxed);
		return FAULT_NONE;
	}
	if (claim(f, v)) {
		fault = load_content(f, v, out);
		claim_end(f, v);
		return fault;
	}
	if (v->value.kind == KIND_STR) {
		*out = EMPTY_STRING;
		return FAULT_NONE;
	}
	return vars_make_room(f, &v->value, 0, &room, out);
}

enum fault vars_store(struct firing *f, const struct program_var *v, uint64_t value)
{
	_Atomic uint64_t *word = global_word(f, v);
	const uint64_t null = v->value.kind == KIND_STR ? HELD_NULL : 0;
	const unsigned char *bytes;
	uint32_t len;
	enum fault fault;

	if (v->value.kind == KIND_INT) {
		atomic_store_explicit(word, value, memory_order_relaxed);
		return FAULT_NONE;
	}
	fault = vars_content(f, &v->value, value, &bytes, &len);
	if (fault != FAULT_NONE)
		return fault;
	if (!claim(f, v))
		return FAULT_NONE;
	bytes_copy(word + 1, bytes, len);
	atomic_store_explicit(word, bytes ? (uint64_t)len + 1 : null,
			      memory_order_relaxed);
	claim_end(f, v);
	return FAULT_NONE;
}

void vars_read(struct firing *f, const struct program_var *v, struct piece p, void *buf)
{
	_Atomic uint64_t *word = global_word(f, v);

	bytes_zero(buf, p.n);
	if (!claim(f, v))
		return;
	if (atomic_load_explicit(word, memory_order_relaxed))
		bytes_copy(buf, (unsigned char *)(word + 1) + p.offset, p.n);
	claim_end(f, v);
}

void vars_write(struct firing *f, const struct program_var *v, struct piece p,
		const void *bytes)
{
	_Atomic uint64_t *word = global_word(f, v);

	if (!claim(f, v))
		return;
	if (!atomic_load_explicit(word, memory_order_relaxed))
		bytes_zero(word + 1, v->value.size);
	bytes_copy((unsigned char *)(word + 1) + p.offset, bytes, p.n);
	atomic_store_explicit(word, (uint64_t)v->value.size + 1, memory_order_relaxed);
	claim_end(f, v);
}

enum fault vars_load_subobject(struct firing *f, const struct program_var *v,
			       struct subobject sub, uint64_t *out)
{
	unsigned size = sub.access & 15;
	unsigned char bytes[8];

	*out = 0;
	if (!subobject_fits(&sub, &v->value))
		return firing_bad_address(f, sub.offset);
	vars_read(f, v, (struct piece){sub.offset, size}, bytes);
	*out = subobject_extend(bytes_load(bytes, size), sub.access);
	return FAULT_NONE;
}

enum fault vars_store_subobject(struct firing *f, const struct program_var *v,
				struct subobject sub, uint64_t value)
{
	unsigned size = sub.access & 15;
	unsigned char bytes[8];

	if (!subobject_fits(&sub, &v->value))
		return firing_bad_address(f, sub.offset);
	bytes_store(bytes, value, size);
	vars_write(f, v, (struct piece){sub.offset, size}, bytes);
	return FAULT_NONE;
}

enum fault vars_load_local(struct firing *f, const struct program_var *v, uint64_t *out)
{
	uint64_t *word = &f->locals[v->storage];
	unsigned char *room;
	enum fault fault = FAULT_NONE;

	*out = *word;
	if (v->value.kind == KIND_STR && *out <= LOCAL_NULL)
		*out = *out ? 0 : EMPTY_STRING;
	if (v->value.kind == KIND_BYTES && *out == 0) {
		fault = vars_make_room(f, &v->value, 0, &room, out);
		*word = *out;
	}
	return fault;
}

enum fault vars_store_local(struct firing *f, const struct program_var *v,
			    uint64_t value)
{
	uint64_t struct_at;
	enum fault fault;

	if (v->value.kind != KIND_BYTES) {
		bool is_null = v->value.kind == KIND_STR && !value;

		f->locals[v->storage] = is_null ? LOCAL_NULL : value;
		return FAULT_NONE;
	}
	fault = vars_load_local(f, v, &struct_at);
	if (fault == FAULT_NONE)
		fault = memory_copy(f, struct_at, value, v->value.size);
	return fault;
}

/* SPDX-License-Identifier: MIT */
/*
 * An update of an element that the inline cache has, without a call.
 *
 *	entry = &cache[index of key and place]		rax
 *	missed unless its key, place and stamp are these
 *	element = entry->element			rax
 *	missed if it was removed at its sequence	rcx
 *	sequence + 1; the value changes; sequence + 2
 *
 * The key is in r9, a histogram's bucket in r8.
 *
 * The elements of many probes do not fit into that cache. So in a light routine the first
 * update under a key that is the same at every firing finds its element by the site's own
 * word (NATIVE_CACHE_LINK), which the thread has from a firing by the other routine.
 */
#include "vm/agg/shard.h"
#include "vm/native/translation.h"
#include "vm/run/inline_cache.h"

#define ELEMENT_AT(field) ((struct x86_mem){X86_RAX, offsetof(struct element, field)})
#define ENTRY_AT(field)                                                                \
	((struct x86_mem){X86_RAX, offsetof(struct inline_cache, field)})

/* Buckets of quantize() from 0 on: 63 for 0, 64 + N for 2^N and more. */
enum { BUCKET_ZERO = 63, BUCKET_ONE = 64 };

static void miss_if(struct translation *t, enum x86_condition condition,
		    struct missed_jumps *missed)
{
	missed->jump[missed->n++] = x86_jump_if(t->code, condition);
}

/* r8 = the bucket, less BUCKET_ONE; negative values have no code. */
static void find_bucket(struct translation *t, insn_t i, struct missed_jumps *missed)
{
	enum x86_reg value = translation_read(t, isa_a(i), X86_RDX);

	x86_alu(t->code, X86_TEST, value, value);
	miss_if(t, X86_NEGATIVE, missed);
	x86_constant(t->code, X86_RCX, (uint64_t)(BUCKET_ZERO - BUCKET_ONE));
	x86_highest_bit(t->code, X86_R8, value);
	x86_move_if(t->code, X86_EQUAL, X86_R8, X86_RCX);
}

/* rax = the entry, if it is that of the key and place. */
static void find_entry(struct translation *t, uint32_t place,
		       struct missed_jumps *missed)
{
	const uint8_t log2_size = 5;
	const uint32_t mask = (UINT32_C(1) << INLINE_CACHE_BITS) - 1;

	_Static_assert(sizeof(struct inline_cache) == 1 << 5, "log2_size");
	_Static_assert(offsetof(struct inline_cache, stamp) ==
			       offsetof(struct inline_cache, place) + 4,
		       "place and stamp are one word");
	x86_multiply32(t->code, X86_RAX, X86_R9, INLINE_CACHE_KEY);
	x86_add32(t->code, X86_RAX, place * INLINE_CACHE_PLACES);
	x86_shift_right32(t->code, X86_RAX,
			  (uint8_t)(32 - INLINE_CACHE_BITS - log2_size));
	x86_and32(t->code, X86_RAX, mask << log2_size);
	x86_alu_from(t->code, X86_ADD, X86_RAX, call_at(t, CALL_AT(cache)));
	x86_alu_from(t->code, X86_CMP, X86_R9, ENTRY_AT(key));
	miss_if(t, X86_NOT_EQUAL, missed);
	x86_constant(t->code, X86_RDX, place);
	x86_alu_from(t->code, X86_OR, X86_RDX, call_at(t, CALL_AT(stamp)));
	x86_alu_from(t->code, X86_CMP, X86_RDX, ENTRY_AT(place));
	miss_if(t, X86_NOT_EQUAL, missed);
}

/*
 * rdx = the element's offset, (rdx - 1) * 8. It goes to slot->updated: if the owner dies
 * now, who finds that evens the sequence; a count() is never odd.
 */
static void note_update(struct translation *t, uint32_t func, enum x86_reg spare)
{
	x86_shift_left(t->code, X86_RDX, 3);
	x86_add_constant(t->code, X86_RDX, X86_RDX, -8);
	if (func == AGG_count)
		return;
	x86_load(t->code, spare, call_at(t, CALL_AT(slot)));
	x86_store(t->code, (struct x86_mem){spare, offsetof(struct slot, updated)},
		  X86_RDX);
}

uint32_t update_place(const struct translation *t)
{
	const uint32_t first = update_is_first(t) ? INLINE_CACHE_FIRST : 0;

	return INLINE_CACHE_PLACE | first | t->at;
}

bool update_is_first(const struct translation *t)
{
	return t->at == t->update && !t->tuple.is_lone && !t->tuple.pushed;
}

/* By the cache: rax = the element. */
static void find_by_key(struct translation *t, uint32_t func,
			struct missed_jumps *missed)
{
	const bool is_first = update_is_first(t);

	find_entry(t, update_place(t), missed);
	if (is_first || func != AGG_count)
		x86_load32(t->code, X86_RDX, ENTRY_AT(link));
	if (is_first)
		x86_store32(t->code, call_at(t, CALL_AT(learnt)), X86_RDX);
	if (func != AGG_count)
		note_update(t, func, X86_RSI);
	x86_load(t->code, X86_RAX, ENTRY_AT(element));
}

/* By the site's word: the element is in one chunk of the shard. */
static void find_by_site(struct translation *t, uint32_t func,
			 struct missed_jumps *missed)
{
	struct x86_code *c = t->code;

	_Static_assert(NATIVE_CACHE_BYTES == 8, "the index is scaled by 8");
	x86_load(c, X86_RCX, call_at(t, LIGHT_AT(gate)));
	x86_load32(c, X86_RAX, (struct x86_mem){X86_RCX, NATIVE_GATE_SITE});
	x86_load(c, X86_RCX, (struct x86_mem){X86_RCX, NATIVE_GATE_CACHE});
	x86_address(c, X86_RCX,
		    (struct x86_mem){X86_RCX,
				     (int32_t)(NATIVE_CACHE_AT + NATIVE_CACHE_LINK)},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(c, X86_RDX, (struct x86_mem){X86_RCX, 0});
	x86_alu(c, X86_TEST, X86_RDX, X86_RDX);
	miss_if(t, X86_EQUAL, missed);
	note_update(t, func, X86_RCX);
	x86_load(c, X86_RCX, call_at(t, CALL_AT(chunks)));
	x86_move(c, X86_RAX, X86_RDX);
	x86_shift_right(c, X86_RAX, CHUNK_BITS);
	x86_address(c, X86_RCX, (struct x86_mem){X86_RCX, 0},
		    (struct x86_index){X86_RAX, 2});
	x86_load32(c, X86_RAX, (struct x86_mem){X86_RCX, 0});
	x86_shift_left(c, X86_RAX, CHUNK_BITS);
	x86_and32(c, X86_RDX, CHUNK_BYTES - 1);
	x86_alu(c, X86_ADD, X86_RAX, X86_RDX);
	x86_alu_from(c, X86_ADD, X86_RAX, call_at(t, CALL_AT(before_chunks)));
}

/* rdx = address of the first word of the value. */
static void find_value(struct translation *t)
{
	x86_load32(t->code, X86_RDX, ELEMENT_AT(key_room));
	x86_address(t->code, X86_RDX, (struct x86_mem){X86_RAX, sizeof(struct element)},
		    (struct x86_index){X86_RDX, 0});
}

static void keep_extreme(struct translation *t, enum x86_reg value,
			 enum x86_condition is_better)
{
	const struct x86_mem word = {X86_RDX, 0};

	x86_load(t->code, X86_RSI, word);
	x86_alu(t->code, X86_CMP, value, X86_RSI);
	x86_move_if(t->code, is_better, X86_RSI, value);
	x86_store(t->code, word, X86_RSI);
}

static void change_value(struct translation *t, insn_t i, uint32_t func)
{
	enum x86_reg value = translation_read(t, isa_a(i), X86_RSI);
	const struct x86_mem first = {X86_RDX, 0}, second = {X86_RDX, 8};

	switch (func) {
	case AGG_min:
		x86_move(t->code, X86_R8, value);
		keep_extreme(t, X86_R8, X86_LESS);
		break;
	case AGG_max:
		x86_move(t->code, X86_R8, value);
		keep_extreme(t, X86_R8, X86_GREATER);
		break;
	case AGG_avg:
		x86_alu_to(t->code, X86_ADD, second, value);
		x86_constant(t->code, X86_RSI, 1);
		x86_alu_to(t->code, X86_ADD, first, X86_RSI);
		break;
	case AGG_quantize:
		x86_address(t->code, X86_RDX, (struct x86_mem){X86_RDX, BUCKET_ONE * 8},
			    (struct x86_index){X86_R8, 3});
		x86_alu_to(t->code, X86_ADD, first,
			   translation_read(t, isa_b(i), X86_RSI));
		break;
	default:
		x86_alu_to(t->code, X86_ADD, first, value);
	}
}

static bool has_code(uint32_t func)
{
	switch (func) {
	case AGG_count:
	case AGG_sum:
	case AGG_min:
	case AGG_max:
	case AGG_avg:
	case AGG_quantize:
		return true;
	default:
		return false;
	}
}

void update_cached(struct translation *t, insn_t i, struct missed_jumps *missed)
{
	uint32_t func = program_agg(t->image, (uint32_t)isa_imm(i))->func;

	if (!has_code(func))
		return;
	if (func == AGG_quantize)
		find_bucket(t, i, missed);
	if (t->light.is_on && update_is_first(t))
		find_by_site(t, func, missed);
	else
		find_by_key(t, func, missed);
	x86_load(t->code, X86_RCX, ELEMENT_AT(sequence));
	x86_alu_from(t->code, X86_CMP, X86_RCX, ELEMENT_AT(removed));
	miss_if(t, X86_EQUAL, missed);
	if (func != AGG_count) {
		find_value(t);
		x86_add_constant(t->code, X86_RCX, X86_RCX, 1);
		x86_store(t->code, ELEMENT_AT(sequence), X86_RCX);
		change_value(t, i, func);
	}
	x86_add_constant(t->code, X86_RCX, X86_RCX, func == AGG_count ? 2 : 1);
	x86_store(t->code, ELEMENT_AT(sequence), X86_RCX);
}

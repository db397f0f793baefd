/* SPDX-License-Identifier: MIT */
/*
 * Room for records in the slot's ring, their headers, and their publication: what
 * vm/run/record.c does where nothing is rare. Rare is a record that does not fit into the
 * chunk, a buffer that is full, or a consumer that has to be called: the firing is left
 * to the interpreter before anything was done.
 *
 * What lies after the tail is seen by nobody. Publication is the three stores of
 * publish(), in the interpreter's order, of which the last one moves the tail.
 */
#include "vm/block/stream.h"
#include "vm/native/records.h"

#define RING_AT(field) (CALL_AT(ring) + (int32_t)offsetof(struct native_ring, field))
#define SLOT_AT(base, field)                                                           \
	((struct x86_mem){base, (int32_t)offsetof(struct slot, field)})
#define HEADER_AT(field)                                                               \
	((struct x86_mem){X86_RDX, (int32_t)offsetof(struct record, field)})
#define PROBE_AT(field)                                                                \
	((struct x86_mem){X86_RAX, (int32_t)offsetof(struct vm_probe, field)})

/*
 * The consumer has read what was in the chunk before: its lines are in the caches of
 * another processor, from which each takes longer to come than a record to write. So
 * they are asked for ahead, by so many bytes.
 */
enum { AHEAD = 1024 };

static void miss_if(struct translation *t, enum x86_condition condition,
		    struct missed_jumps *missed)
{
	missed->jump[missed->n++] = x86_jump_if(t->code, condition);
}

/* native_call.record = where the tail is, if so many bytes follow in its chunk. */
static void find_place(struct translation *t, uint32_t bytes,
		       struct missed_jumps *missed)
{
	struct x86_code *c = t->code;

	x86_load(c, X86_RCX, call_at(t, CALL_AT(slot)));
	x86_load(c, X86_RAX, SLOT_AT(X86_RCX, tail));
	x86_move(c, X86_RDX, X86_RAX);
	x86_shift_right(c, X86_RDX, 32);
	x86_add_constant(c, X86_RDX, X86_RDX, -1);
	x86_load(c, X86_RCX, call_at(t, RING_AT(open)));
	x86_load32(c, X86_RCX, (struct x86_mem){X86_RCX, 0});
	x86_alu(c, X86_CMP, X86_RDX, X86_RCX);
	miss_if(t, X86_NOT_BELOW, missed);
	x86_narrow(c, X86_RAX, X86_RAX, 4, false);
	x86_compare32(c, X86_RAX, STREAM_DATA - bytes);
	miss_if(t, X86_ABOVE, missed);
	x86_shift_left(c, X86_RDX, CHUNK_BITS);
	x86_alu(c, X86_ADD, X86_RDX, X86_RAX);
	x86_alu_from(c, X86_ADD, X86_RDX, call_at(t, RING_AT(data)));
	x86_store(c, call_at(t, CALL_AT(record)), X86_RDX);
	x86_prefetch_write(c, (struct x86_mem){X86_RDX, AHEAD});
}

/*
 * Fewer than a quarter of the buffer is unread with them; or they fit, and the
 * consumer is awake. A spoilt difference is large.
 */
static void check_unread(struct translation *t, struct record_room room,
			 struct missed_jumps *missed)
{
	struct x86_code *c = t->code;
	uint32_t much, little;

	x86_load(c, X86_RCX, call_at(t, CALL_AT(slot)));
	x86_load(c, X86_RAX, SLOT_AT(X86_RCX, written));
	x86_alu_from(c, X86_SUB, X86_RAX, SLOT_AT(X86_RCX, consumed));
	x86_add_constant(c, X86_RAX, X86_RAX, (int32_t)room.bytes);
	x86_load(c, X86_RDX, SLOT_AT(X86_RCX, room_taken));
	x86_alu_from(c, X86_SUB, X86_RDX, SLOT_AT(X86_RCX, room_given));
	x86_add_constant(c, X86_RDX, X86_RDX, (int32_t)room.nominal);
	x86_load(c, X86_RCX, call_at(t, RING_AT(quarter)));
	x86_alu(c, X86_CMP, X86_RAX, X86_RCX);
	much = x86_jump_if(c, X86_NOT_BELOW);
	x86_alu(c, X86_CMP, X86_RDX, X86_RCX);
	little = x86_jump_if(c, X86_BELOW);
	x86_land(c, much);
	x86_alu_from(c, X86_CMP, X86_RAX, call_at(t, RING_AT(bytes)));
	miss_if(t, X86_ABOVE, missed);
	x86_alu_from(c, X86_CMP, X86_RDX, call_at(t, RING_AT(bufsize)));
	miss_if(t, X86_ABOVE, missed);
	x86_load(c, X86_RCX, call_at(t, RING_AT(sleeper)));
	x86_load32(c, X86_RCX, (struct x86_mem){X86_RCX, 0});
	x86_alu(c, X86_TEST, X86_RCX, X86_RCX);
	miss_if(t, X86_NOT_EQUAL, missed);
	x86_land(c, little);
}

static void reserve(struct translation *t, struct record_room room,
		    struct missed_jumps *missed)
{
	if (!record_is_small(room)) {
		translation_fail(t);
		return;
	}
	find_place(t, room.bytes, missed);
	check_unread(t, room, missed);
}

/* native_call.probe, which is the caller's elsewhere. */
static void find_probe(struct translation *t, struct missed_jumps *missed)
{
	struct x86_code *c = t->code;

	_Static_assert(sizeof(struct vm_probe) == 12, "the index is scaled by 3 and 4");
	light_load_site(t);
	x86_and32(c, X86_RAX, NATIVE_SITE_PROBE);
	x86_alu_from(c, X86_CMP, X86_RAX, call_at(t, CALL_AT(nprobes)));
	miss_if(t, X86_NOT_BELOW, missed);
	x86_address(c, X86_RCX, (struct x86_mem){X86_RAX, 0},
		    (struct x86_index){X86_RAX, 1});
	x86_load(c, X86_RAX, call_at(t, CALL_AT(probes)));
	x86_address(c, X86_RAX, (struct x86_mem){X86_RAX, 0},
		    (struct x86_index){X86_RCX, 2});
	x86_store(c, call_at(t, CALL_AT(probe)), X86_RAX);
}

void ring_reserve_light(struct translation *t, struct record_room room)
{
	struct missed_jumps missed = {.n = 0};

	find_probe(t, &missed);
	reserve(t, room, &missed);
	light_exit_by(t, &missed);
}

void ring_reserve(struct translation *t, struct record_room room)
{
	struct missed_jumps missed = {.n = 0};
	uint32_t found;

	reserve(t, room, &missed);
	found = x86_jump(t->code);
	for (uint32_t i = 0; i < missed.n; i++)
		x86_land(t->code, missed.jump[i]);
	translation_call(t, CALL_AT(interpret));
	translation_stop(t, x86_jump(t->code));
	x86_land(t->code, found);
}

/* ---- headers ---- */

/* rax = the number of the processor. */
static void load_cpu(struct translation *t)
{
	const uint64_t segment = 0x7b;
	const uint32_t bits = 0xfff;

	if (!t->light.is_on) {
		x86_constant(t->code, X86_RSI, BUILTIN_cpu);
		translation_call(t, CALL_AT(builtin));
		return;
	}
	if (native_has_rdpid()) {
		x86_processor(t->code, X86_RAX);
	} else {
		x86_constant(t->code, X86_RAX, segment);
		x86_segment_limit(t->code, X86_RAX);
	}
	x86_and32(t->code, X86_RAX, bits);
}

static void load_time(struct translation *t)
{
	if (t->light.is_on)
		light_load_time(t);
	else
		translation_call(t, CALL_AT(now));
}

/* probe->id, enablings[probe->first_enabling + the clause's number].epid */
static void put_probe(struct translation *t)
{
	const int32_t at = (int32_t)(t->enabling * sizeof(struct vm_enabling) +
				     offsetof(struct vm_enabling, epid));
	struct x86_code *c = t->code;

	_Static_assert(sizeof(struct vm_enabling) == 8, "the index is scaled by 8");
	x86_load(c, X86_RAX, call_at(t, CALL_AT(probe)));
	x86_load32(c, X86_RCX, PROBE_AT(id));
	x86_store32(c, HEADER_AT(probe), X86_RCX);
	x86_load32(c, X86_RAX, PROBE_AT(first_enabling));
	x86_load(c, X86_RCX, call_at(t, CALL_AT(enablings)));
	x86_address(c, X86_RAX, (struct x86_mem){X86_RCX, at},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(c, X86_RAX, (struct x86_mem){X86_RAX, 0});
	x86_store32(c, HEADER_AT(epid), X86_RAX);
}

/* All but the size. rdx is the record's address at the end. */
void ring_put_header(struct translation *t, uint32_t clause)
{
	const uint32_t nominal = program_clause(t->image, clause)->nominal;
	struct x86_code *c = t->code;

	_Static_assert(offsetof(struct record, cpu) ==
			       offsetof(struct record, kind) + 2,
		       "kind and cpu are one word");
	_Static_assert(offsetof(struct record, tid) == offsetof(struct record, pid) + 4,
		       "pid and tid are one word");
	load_time(t);
	x86_load(c, X86_RDX, call_at(t, CALL_AT(record)));
	x86_store(c, HEADER_AT(time), X86_RAX);
	load_cpu(t);
	x86_load(c, X86_RDX, call_at(t, CALL_AT(record)));
	x86_shift_left(c, X86_RAX, 16);
	x86_add32(c, X86_RAX, RECORD_DATA);
	x86_store32(c, HEADER_AT(kind), X86_RAX);
	put_probe(t);
	x86_store32_constant(c, HEADER_AT(clause), (int32_t)clause);
	x86_store32_constant(c, HEADER_AT(room), (int32_t)nominal);
	x86_load(c, X86_RAX, call_at(t, RING_AT(ids)));
	x86_store(c, HEADER_AT(pid), X86_RAX);
	x86_store_constant(c, HEADER_AT(spec), 0);
}

/* The size is in rax. */
void ring_publish(struct translation *t, uint32_t clause)
{
	const uint32_t nominal = program_clause(t->image, clause)->nominal;
	struct x86_code *c = t->code;

	x86_load(c, X86_RDX, call_at(t, CALL_AT(record)));
	x86_store32(c, HEADER_AT(size), X86_RAX);
	x86_load(c, X86_RCX, call_at(t, CALL_AT(slot)));
	x86_alu_to(c, X86_ADD, SLOT_AT(X86_RCX, written), X86_RAX);
	x86_constant(c, X86_RDX, nominal);
	x86_alu_to(c, X86_ADD, SLOT_AT(X86_RCX, room_taken), X86_RDX);
	x86_alu_to(c, X86_ADD, SLOT_AT(X86_RCX, tail), X86_RAX);
	if (!t->light.is_on)
		x86_alu_to(c, X86_ADD, call_at(t, CALL_AT(record)), X86_RAX);
}

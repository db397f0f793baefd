/* SPDX-License-Identifier: MIT */
/*
 * Records of clauses: the tuples of actions are put into the slot's ring at once, after
 * its tail, where they end up.
 *
 *	native_call.record	the header
 *	native_call.record_at	from here on, record.after is what was written
 *	native_call.item	the data of the present action, once record_at is after it
 *
 * Integers and texts of the program have sizes that are known; a part of the probe's name
 * has not, and moves record_at. So do jumps: where ways join, all is in memory. Light
 * routines have record_at in a register: the next record begins where this one ends, so
 * each word of memory on the way would be waited for.
 */
#include "vm/base/bytes.h"
#include "vm/base/str.h"
#include "vm/native/records.h"

#define TEXT_MOST 128u /* bytes of a text of the program, in stores of constants */
#define SLACK	  16u  /* bytes that may be written after the end of a name */

/* Bytes in a tuple. */
static uint32_t string_bytes(uint32_t length)
{
	return (uint32_t)align_up(length + sizeof(uint32_t), 8);
}

static const char *text_of(const struct translation *t, uint64_t address)
{
	return program_string(t->image, (uint32_t)(address - VM_ADDR_IMAGE));
}

/* ---- before the code ---- */

static bool begins_record(insn_t i)
{
	return isa_op(i) == OP_REC || isa_op(i) == OP_RECE;
}

static bool records(const void *image, uint32_t clause, bool *jumps)
{
	const struct program_clause *p = program_clause(image, clause);
	const insn_t *code = program_section(image, SECTION_CODE);
	bool found = false;

	*jumps = false;
	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		found |= begins_record(code[i]);
		*jumps |= isa_op(code[i]) == OP_JMP || isa_op(code[i]) == OP_JZ ||
			  isa_op(code[i]) == OP_JNZ;
	}
	return found;
}

bool record_is_made(const void *image, struct clause_list list)
{
	bool jumps;

	for (uint32_t i = 0; i < list.n; i++)
		if (records(image, list.clause[i], &jumps))
			return true;
	return false;
}

static bool loads_name(insn_t i)
{
	return isa_op(i) == OP_BI && (uint32_t)isa_imm(i) - BUILTIN_probeprov <=
					     BUILTIN_probename - BUILTIN_probeprov;
}

bool record_has_names(const void *image, struct clause_list list)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	if (!record_is_made(image, list))
		return false;
	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *p = program_clause(image, list.clause[k]);

		for (uint32_t i = p->first; i < p->first + p->count; i++)
			if (loads_name(code[i]))
				return true;
	}
	return false;
}

/* Of all that the clause may push, whether it is for records or not. */
static struct record_room room_of(const struct translation *t, uint32_t clause)
{
	const struct program_clause *p = program_clause(t->image, clause);
	const insn_t *code = program_section(t->image, SECTION_CODE);
	const uint32_t string = max_u32(t->name_most, string_bytes(TEXT_MOST));
	struct record_room room = {sizeof(struct record), p->nominal};

	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		const unsigned op = isa_op(code[i]);

		if (op == OP_REC)
			room.bytes += (uint32_t)sizeof(struct record_item);
		else if (op == OP_TPI)
			room.bytes += 8;
		else if (op == OP_TPS)
			room.bytes +=
				isa_op(code[i - 1]) == OP_BI &&
						isa_a(code[i - 1]) == isa_a(code[i])
					? t->name_most
					: string;
	}
	room.bytes += SLACK;
	return room;
}

void record_reserve_all(struct translation *t, struct clause_list list)
{
	struct record_room all = {0, 0};

	for (uint32_t i = 0; i < list.n; i++) {
		struct record_room room;
		bool jumps;

		if (!records(t->image, list.clause[i], &jumps))
			continue;
		room = room_of(t, list.clause[i]);
		all.bytes =
			(uint32_t)min_u64((uint64_t)all.bytes + room.bytes, UINT32_MAX);
		all.nominal += room.nominal;
	}
	ring_reserve(t, all);
}

/* ---- where it is ---- */

/* The register that has record_at: in a light routine always, else `spare` from here. */
static enum x86_reg load_at(struct translation *t, enum x86_reg spare)
{
	if (t->light.is_on)
		return LIGHT_RECORD_AT;
	x86_load(t->code, spare, call_at(t, CALL_AT(record_at)));
	return spare;
}

/* record_at = the address in the register, plus so many bytes. */
static void set_at(struct translation *t, enum x86_reg from, int32_t bytes)
{
	if (t->light.is_on) {
		x86_add_constant(t->code, LIGHT_RECORD_AT, from, bytes);
		return;
	}
	x86_add_constant(t->code, from, from, bytes);
	x86_store(t->code, call_at(t, CALL_AT(record_at)), from);
}

/* The place of what is written next; rdx may be its base from here. */
static struct x86_mem next_place(struct translation *t)
{
	return (struct x86_mem){load_at(t, X86_RDX), (int32_t)t->record.after};
}

static void note_item(struct translation *t)
{
	struct record_translation *r = &t->record;

	if (!r->is_item || r->is_noted)
		return;
	x86_add_constant(t->code, X86_RDX, load_at(t, X86_RDX), (int32_t)r->item);
	x86_store(t->code, call_at(t, CALL_AT(item)), X86_RDX);
	r->is_noted = true;
}

void record_settle(struct translation *t)
{
	struct record_translation *r = &t->record;
	struct x86_mem place;

	note_item(t);
	if (!r->after)
		return;
	place = next_place(t);
	set_at(t, place.base, place.at);
	r->after = 0;
	r->has_moved = true;
}

void record_join(struct translation *t, const struct record_translation *other)
{
	struct record_translation *r = &t->record;

	if (r->is_item != other->is_item || r->after || other->after)
		translation_fail(t);
	if (r->begun != other->begun)
		r->begun = RECORD_SOMEWHERE;
	r->has_moved |= other->has_moved;
	r->is_noted |= other->is_noted;
}

/* ---- the record ---- */

void record_begin_clause(struct translation *t, uint32_t clause)
{
	bool jumps;

	t->record = (struct record_translation){.begun = RECORD_NOWHERE};
	if (!records(t->image, clause, &jumps) || !jumps)
		return;
	if (t->light.is_on)
		x86_constant(t->code, LIGHT_RECORD_AT, 0);
	else
		x86_store_constant(t->code, call_at(t, CALL_AT(record_at)), 0);
}

/*
 * The header has the time: a light routine must know it before something is done, others
 * ask when the interpreter does.
 */
static void make_record(struct translation *t)
{
	if (t->light.is_on) {
		ring_reserve_light(t, room_of(t, t->clause));
		ring_put_header(t, t->clause);
	} else {
		x86_load(t->code, X86_RDX, call_at(t, CALL_AT(record)));
	}
	set_at(t, X86_RDX, sizeof(struct record));
}

/* A jump by whether the clause has begun a record: record_at is 0 if it has not. */
static uint32_t jump_by_begun(struct translation *t, enum x86_condition condition)
{
	enum x86_reg at = load_at(t, X86_RAX);

	x86_alu(t->code, X86_TEST, at, at);
	return x86_jump_if(t->code, condition);
}

static void begin_record(struct translation *t)
{
	struct record_translation *r = &t->record;
	uint32_t has_begun;

	switch (r->begun) {
	case RECORD_NOWHERE:
		make_record(t);
		break;
	case RECORD_SOMEWHERE:
		has_begun = jump_by_begun(t, X86_NOT_EQUAL);
		make_record(t);
		x86_land(t->code, has_begun);
		break;
	case RECORD_EVERYWHERE:
		break;
	}
	r->begun = RECORD_EVERYWHERE;
}

/* rax = its bytes. */
static void load_size(struct translation *t)
{
	const struct record_translation *r = &t->record;

	if (!r->has_moved) {
		x86_constant(t->code, X86_RAX, sizeof(struct record) + r->after);
		return;
	}
	x86_add_constant(t->code, X86_RAX, load_at(t, X86_RAX), (int32_t)r->after);
	x86_alu_from(t->code, X86_SUB, X86_RAX, call_at(t, CALL_AT(record)));
}

void record_end_clause(struct translation *t)
{
	struct record_translation *r = &t->record;
	uint32_t is_none = 0;

	if (t->is_dead || r->begun == RECORD_NOWHERE)
		return;
	if (r->begun == RECORD_SOMEWHERE) {
		is_none = jump_by_begun(t, X86_EQUAL);
	}
	if (!t->light.is_on)
		ring_put_header(t, t->clause);
	load_size(t);
	ring_publish(t, t->clause);
	if (is_none)
		x86_land(t->code, is_none);
	light_commit(t);
}

/* ---- data of actions ---- */

static void begin_item(struct translation *t)
{
	struct record_translation *r = &t->record;

	begin_record(t);
	r->is_item = true;
	r->is_noted = false;
	r->item = r->after;
	r->after += (uint32_t)sizeof(struct record_item);
}

static void end_item(struct translation *t, uint32_t action)
{
	struct record_translation *r = &t->record;
	const uint32_t header = sizeof(struct record_item);
	struct x86_mem place;

	r->is_item = false;
	if (!r->is_noted) {
		x86_constant(t->code, X86_RAX,
			     (uint64_t)(r->after - r->item - header) << 32 | action);
		place = next_place(t);
		place.at = (int32_t)r->item;
		x86_store(t->code, place, X86_RAX);
		return;
	}
	place = next_place(t);
	x86_load(t->code, X86_RCX, call_at(t, CALL_AT(item)));
	x86_add_constant(t->code, X86_RAX, place.base, place.at - (int32_t)header);
	x86_alu(t->code, X86_SUB, X86_RAX, X86_RCX);
	x86_store32_constant(t->code, (struct x86_mem){X86_RCX, 0}, (int32_t)action);
	x86_store32(t->code, (struct x86_mem){X86_RCX, 4}, X86_RAX);
}

static void put_integer(struct translation *t, insn_t i)
{
	const struct known_value *v = &t->known[isa_a(i)];
	const unsigned size = isa_c(i);
	enum x86_reg from = X86_RAX;

	if (v->what == KNOWN_CONSTANT)
		x86_constant(t->code, X86_RAX,
			     v->value & UINT64_MAX >> (64 - 8 * size));
	else if (size == 8)
		from = translation_read(t, isa_a(i), X86_RAX);
	else
		x86_narrow(t->code, X86_RAX, translation_read(t, isa_a(i), X86_RAX),
			   size, false);
	x86_store(t->code, next_place(t), from);
	t->record.after += 8;
}

static void put_text(struct translation *t, const char *text)
{
	const uint32_t most = program_header(t->image)->strsize;
	const uint32_t n = (uint32_t)str_len(text, most);
	unsigned char bytes[TEXT_MOST + 16] = {0};
	struct x86_mem place;

	if (n > TEXT_MOST) {
		translation_fail(t);
		return;
	}
	bytes_store(bytes, n, sizeof(uint32_t));
	bytes_copy(bytes + sizeof(uint32_t), text, n);
	place = next_place(t);
	for (uint32_t at = 0; at < string_bytes(n); at += 8, place.at += 8) {
		x86_constant(t->code, X86_RAX, bytes_load(bytes + at, 8));
		x86_store(t->code, place, X86_RAX);
	}
	t->record.after += string_bytes(n);
}

/* rsi = the text. */
static void load_name(struct translation *t, uint64_t id)
{
	const int32_t at = (int32_t)(id - BUILTIN_probeprov) * 4;
	struct x86_code *c = t->code;

	_Static_assert(sizeof(struct vm_fullname) == 16, "ids are scaled twice");
	x86_load(c, X86_RAX, call_at(t, CALL_AT(probe)));
	x86_load32(c, X86_RAX,
		   (struct x86_mem){X86_RAX, offsetof(struct vm_probe, id)});
	x86_load(c, X86_RCX, call_at(t, CALL_AT(fullnames)));
	x86_address(c, X86_RCX, (struct x86_mem){X86_RCX, at - 16},
		    (struct x86_index){X86_RAX, 3});
	x86_address(c, X86_RCX, (struct x86_mem){X86_RCX, 0},
		    (struct x86_index){X86_RAX, 3});
	x86_load32(c, X86_RSI, (struct x86_mem){X86_RCX, 0});
	x86_alu_from(c, X86_ADD, X86_RSI,
		     call_at(t, CALL_AT(ring) +
					(int32_t)offsetof(struct native_ring, names)));
}

/*
 * The bytes of rax that are 0 have their highest bit in rcx, or the lowest of them: the
 * higher ones do not matter. Words that have none go to rdx + 4.
 */
static void copy_words(struct translation *t)
{
	const int32_t ones = CALL_AT(ring.ones), eighties = CALL_AT(ring.eighties);
	struct x86_code *c = t->code;
	const uint32_t loop = c->n;
	uint32_t last;

	x86_load(c, X86_RAX, (struct x86_mem){X86_RSI, 0});
	x86_move(c, X86_RCX, X86_RAX);
	x86_alu_from(c, X86_SUB, X86_RCX, call_at(t, ones));
	x86_move(c, X86_R8, X86_RAX);
	x86_unary(c, X86_NOT, X86_R8);
	x86_alu(c, X86_AND, X86_RCX, X86_R8);
	x86_alu_from(c, X86_AND, X86_RCX, call_at(t, eighties));
	last = x86_jump_if(c, X86_NOT_EQUAL);
	x86_store(c, (struct x86_mem){X86_RDX, 4}, X86_RAX);
	x86_add_constant(c, X86_RSI, X86_RSI, 8);
	x86_add_constant(c, X86_RDX, X86_RDX, 8);
	x86_jump_back(c, loop);
	x86_land(c, last);
}

/* The bytes before the first 0, and zeroes; rcx = how many they are. */
static void copy_rest(struct translation *t)
{
	struct x86_code *c = t->code;

	x86_move(c, X86_R8, X86_RCX);
	x86_unary(c, X86_NEG, X86_R8);
	x86_alu(c, X86_AND, X86_R8, X86_RCX);
	x86_add_constant(c, X86_R8, X86_R8, -1);
	x86_shift_right(c, X86_R8, 7);
	x86_alu(c, X86_AND, X86_RAX, X86_R8);
	x86_store(c, (struct x86_mem){X86_RDX, 4}, X86_RAX);
	x86_store32_constant(c, (struct x86_mem){X86_RDX, 12}, 0);
	x86_lowest_bit(c, X86_RCX, X86_RCX);
	x86_shift_right32(c, X86_RCX, 3);
}

/* The length is at most t->name_most. */
static void put_name(struct translation *t, uint64_t id)
{
	struct record_translation *r = &t->record;
	struct x86_code *c = t->code;
	struct x86_mem place;

	note_item(t);
	load_name(t, id);
	place = next_place(t);
	x86_add_constant(c, X86_RDX, place.base, place.at);
	copy_words(t);
	copy_rest(t);
	x86_alu(c, X86_ADD, X86_RCX, X86_RDX);
	place = next_place(t);
	x86_alu(c, X86_SUB, X86_RCX, place.base);
	x86_add_constant(c, X86_RCX, X86_RCX, -place.at);
	x86_store32(c, place, X86_RCX);
	x86_add_constant(c, X86_RCX, X86_RCX, 4 + 7);
	x86_and32(c, X86_RCX, ~UINT32_C(7));
	x86_alu(c, X86_ADD, X86_RCX, place.base);
	set_at(t, X86_RCX, place.at);
	r->after = 0;
	r->has_moved = true;
}

static void put_string(struct translation *t, insn_t i)
{
	const struct known_value *v = &t->known[isa_a(i)];

	if (v->what == KNOWN_NAME)
		put_name(t, v->value);
	else if (v->what == KNOWN_STRING)
		put_text(t, text_of(t, v->value));
	else
		translation_fail(t);
}

/* ---- instructions ---- */

/* The interpreter does more at its end than record it. */
static bool has_effect(const struct translation *t, uint32_t action)
{
	return program_action(t->image, action)->kind == ACTION_snapshot;
}

static bool ends_tuple(insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_AGGR:
	case OP_REC:
	case OP_LDDA:
	case OP_LDDP:
	case OP_STDP:
		return true;
	case OP_LDD:
	case OP_STD:
		return !isa_c(i);
	default:
		return false;
	}
}

/* The tuple that begins here is the data of an action. */
static bool is_data(const struct translation *t)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);
	uint32_t depth = 0;

	for (uint32_t i = t->at; i < t->end; i++) {
		depth += isa_op(code[i]) == OP_TUP;
		if (ends_tuple(code[i]) && --depth == 0)
			return isa_op(code[i]) == OP_REC;
	}
	return false;
}

bool record_takes(const struct translation *t, insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_REC:
	case OP_RECE:
		return true;
	case OP_TUP:
		return is_data(t);
	case OP_TPI:
	case OP_TPS:
		return t->record.is_item && !t->tuple.is_open;
	default:
		return false;
	}
}

void translate_record(struct translation *t, insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_TUP:
		begin_item(t);
		break;
	case OP_TPI:
		put_integer(t, i);
		break;
	case OP_TPS:
		put_string(t, i);
		break;
	case OP_REC:
		if (has_effect(t, (uint32_t)isa_imm(i)))
			translation_fail(t);
		else
			end_item(t, (uint32_t)isa_imm(i));
		break;
	default:
		begin_record(t);
	}
}

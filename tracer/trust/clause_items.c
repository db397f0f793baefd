/* SPDX-License-Identifier: MIT */
/*
 * The code of a clause becomes a graph: one node for each instruction that records an
 * action, for each branch that matters, and for the end. It is made from the last
 * instruction up, because jumps only go forward: what an instruction leads to is known
 * when it is reached.
 *
 *	code			nodes
 *	JZ r1, L		2: branch -> 1, 0
 *	... REC 7		1: action 7 -> 0
 *	L: END			0: end
 */
#include "tracer/trust/clause_items.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/isa.h"

#include <stdlib.h>
#include <string.h>

/* What a node is that records no action. */
#define NODE_BRANCH UINT32_MAX
#define NODE_END    (UINT32_MAX - 1)

static uint32_t add_node(struct clause_items *ci, uint32_t action, uint32_t next,
			 uint32_t other)
{
	*vec_push(&ci->nodes) = (struct clause_node){action, next, other};
	return (uint32_t)ci->nodes.len - 1;
}

static void note_call(struct clause_paths *p, uint32_t subr)
{
	p->speculates |= subr == SUBR_speculate;
	p->makes_empty |= subr == SUBR_speculate;
	p->commits |= subr == SUBR_commit;
	p->discards |= subr == SUBR_discard;
}

/*
 * The node where a path goes on that is at instruction i. leads[k] is that of the k-th
 * instruction, for all after i.
 */
static uint32_t node_of(struct clause_items *ci, struct clause_paths *p,
			const uint32_t *leads, uint32_t i, insn_t in)
{
	uint32_t next, target;

	switch (isa_op(in)) {
	case OP_END:
		return p->end;
	case OP_REC:
		return add_node(ci, (uint32_t)isa_imm(in), leads[i + 1], p->end);
	case OP_JMP:
		return leads[i + 1 + (uint32_t)isa_imm(in)];
	case OP_JZ:
	case OP_JNZ:
		next = leads[i + 1];
		target = leads[i + 1 + (uint32_t)isa_imm(in)];
		return next == target ? next : add_node(ci, NODE_BRANCH, next, target);
	case OP_RECE:
		p->makes_empty = true;
		return leads[i + 1];
	case OP_CALL:
		note_call(p, (uint32_t)isa_imm(in));
		return leads[i + 1];
	default:
		return leads[i + 1];
	}
}

static void add_clause(struct clause_items *ci, const struct program_clause *clause,
		       struct clause_paths *p)
{
	const insn_t *code = program_section(ci->image, SECTION_CODE);
	uint32_t *leads = oom_calloc(clause->count + (size_t)1, sizeof(*leads));

	p->end = add_node(ci, NODE_END, 0, 0);
	for (uint32_t i = clause->count; i-- > 0;)
		leads[i] = node_of(ci, p, leads, i, code[clause->first + i]);
	p->start = leads[0];
	free(leads);
}

void clause_items_init(struct clause_items *ci, const void *image)
{
	uint32_t n = program_count(image, SECTION_CLAUSE);

	*ci = (struct clause_items){.image = image};
	ci->paths = oom_calloc((size_t)n + 1, sizeof(*ci->paths));
	for (uint32_t i = 0; i < n; i++)
		add_clause(ci, program_clause(image, i), &ci->paths[i]);
	ci->reached = oom_calloc(ci->nodes.len + 1, sizeof(*ci->reached));
}

void clause_items_release(struct clause_items *ci)
{
	free(ci->paths);
	free(ci->reached);
	vec_release(&ci->nodes);
	*ci = (struct clause_items){0};
}

/* The items of a record that are not accounted for yet. */
struct rest {
	const unsigned char *at, *end;
};

static uint32_t first_action(const struct rest *r)
{
	struct record_item item;

	memcpy(&item, r->at, sizeof(item));
	return item.action;
}

static void drop_first(struct rest *r)
{
	struct record_item item;

	memcpy(&item, r->at, sizeof(item));
	r->at += sizeof(item) + item.size;
}

/*
 * Follows all paths at once. As each action belongs to one node, every path that has
 * come as far as an item is at the node of that item: the others are wrong.
 */
bool clause_items_are_possible(struct clause_items *ci, uint32_t clause,
			       const void *items, size_t size)
{
	const struct clause_paths *p = &ci->paths[clause];
	const unsigned char *data = items;
	struct rest rest = {data, data + size};

	if (size == 0 && !p->makes_empty)
		return false;
	ci->reached[p->start] = ++ci->round;
	for (uint32_t n = p->start; n > p->end; n--) {
		const struct clause_node *node = &ci->nodes.data[n];

		if (ci->reached[n] != ci->round)
			continue;
		if (node->action == NODE_BRANCH) {
			ci->reached[node->next] = ci->reached[node->other] = ci->round;
		} else if (rest.at < rest.end && first_action(&rest) == node->action) {
			drop_first(&rest);
			ci->reached[node->next] = ++ci->round;
		}
	}
	return rest.at == rest.end && ci->reached[p->end] == ci->round;
}

bool clause_items_ends_speculation(const struct clause_items *ci, uint32_t clause,
				   enum record_kind kind)
{
	const struct clause_paths *p = &ci->paths[clause];

	/* commit() discards what the buffer has no room for. */
	return p->commits || (kind == RECORD_DISCARD && p->discards);
}

bool clause_items_speculates(const struct clause_items *ci, uint32_t clause)
{
	return ci->paths[clause].speculates;
}

/* SPDX-License-Identifier: MIT */
/*
 * Switch tables that hold 4-byte (or 8-byte) distances from their own beginning or from
 * a label (GNU C: &&a - &&b). They are found by the lea that loads their address:
 * distances are read from every address that a body loads, as long as they lead into
 * code, and those that lead into the body itself count. Where the body loads the address
 * of another table that lies behind one, the one ends with the first distance that makes
 * no sense in it: it leads to no instruction from the one, but to one from the other.
 * Other functions' tables follow as well: what they seem to say leads anywhere, and does
 * not count inside of an instruction that control comes to from a known place.
 *
 * Reading is bounded by the size of the code, whatever it holds: a body may take a
 * step for each of its bytes, and the bodies of a module share some more. A step is an
 * entry, or an instruction that is read to judge where one leads; each place is judged
 * once. Past that something may arrive at each byte of the body. If it loads more labels
 * than are tried, its jumps may lead to each of its instructions.
 */
#include "hook/sweep.h"

#include "disasm/disasm.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

/* Hardly a table is longer; a chain of others after it need not be read to its end. */
#define TABLE_MAX (HOOK_HELD / 4)
/* One that leads into its body with one of its last entries that are read may go on. */
#define LAST_ENTRIES 16
/* Bytes of a table in code that are read at first: most such tables are none. */
#define TABLE_FIRST 256
/* Entries that lead to the table, for numbers below the first (libgmp has one). */
#define FILLERS_MAX 4
/* Labels that a body takes the address of, and that distances may be from. */
#define LABELS_MAX 256
/* Instructions from a known place to one that a table seems to lead into. */
#define RUN_MAX 64
#define JUDGED	4 /* addresses in a byte of what has been judged */
/* Steps that one body may take of those that all share. */
#define BODY_STEPS (UINT64_C(1) << 20)

/* The bytes from address on in one of n parts; NULL when in none. */
static const uint8_t *bytes_at(const struct hook_bytes *parts, size_t n,
			       uint64_t address, size_t *left)
{
	const uint8_t *p = NULL;

	for (size_t i = 0; i < n && !p; i++)
		p = hook_bytes_at(&parts[i], taddr_of(address), left);
	return p;
}

/* The same of data, which may not all be in memory: HOOK_HELD bytes are, or the last. */
const uint8_t *sweep_data_at(const struct hook_module *m, uint64_t address,
			     size_t *left)
{
	const uint8_t *p = bytes_at(m->data, m->ndata, address, left);

	if (!m->hold || (p && *left >= HOOK_HELD))
		return p;
	m->hold(m->hold_ctx, taddr_of(address));
	return bytes_at(m->data, m->ndata, address, left);
}

/* Where the distance leads from the base. */
static uint64_t target_of(const uint8_t *distance, uint64_t base)
{
	return base + (uint64_t)(int64_t)(int32_t)bytes_load(distance, 4);
}

/* The first loaded address behind the table, or UINT64_MAX. */
static uint64_t next_loaded(const struct sweep *s, uint64_t table)
{
	size_t lo = 0, hi = s->loaded.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->loaded.data[mid] <= table)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->loaded.len ? s->loaded.data[lo] : UINT64_MAX;
}

/* The last instruction that begins before pc, in the body; 0: there is none nearby. */
static uint64_t insn_before(const struct sweep *s, uint64_t pc, struct body body,
			    struct insn_brief *in)
{
	for (uint64_t at = pc - 1; at >= body.lo && pc - at < INSN_MAX; at--) {
		const uint8_t *bytes;
		size_t left = 0;

		if (!sweep_is_insn(s, at, body))
			continue;
		bytes = hook_bytes_at(s->code, taddr_of(at), &left);
		return bytes && decode_brief(bytes, left, taddr_of(at), in) == 0 ? at
										 : 0;
	}
	return 0;
}

/*
 * Whether pc is in the middle of an instruction that control comes to, by running on from
 * where it arrives: so it is read as the program runs it, and no table leads there.
 */
static bool is_inside_insn(struct sweep *s, uint64_t pc, struct body body)
{
	struct insn_brief in;
	uint64_t at = insn_before(s, pc, body, &in);

	if (!at || at + in.len <= pc)
		return false;
	for (int i = 0; i < RUN_MAX; i++) {
		uint64_t after = at;

		if (sweep_is_marked(s->branches, at))
			return true;
		s->tables.steps++;
		at = insn_before(s, after, body, &in);
		if (!at || at + in.len != after || !insn_brief_falls_through(&in))
			return false;
	}
	return false;
}

/* Whether a table may lead to the target, which is in the body. */
static bool judge_target(struct sweep *s, uint64_t target, struct body body)
{
	const uint64_t at = target - body.lo;
	const unsigned shift = at % JUDGED * 2;
	uint8_t *judged = &s->tables.judged[at / JUDGED];
	bool may_lead;

	if (*judged >> shift & 3)
		return *judged >> shift & 1;
	may_lead = sweep_is_insn(s, target, body) || !is_inside_insn(s, target, body);
	*judged |= (uint8_t)((may_lead ? 1 : 2) << shift);
	return may_lead;
}

/* A distance of a table leads to the target. False: that is not in the body. */
static bool note_target(struct sweep *s, uint64_t target, struct body body)
{
	if (target < body.lo || target >= body.hi)
		return false;
	if (!judge_target(s, target, body))
		return false;
	sweep_mark(s->branches, target);
	s->has_table = true;
	return true;
}

/* False: the body has taken all of its steps. */
static bool take_step(struct sweep *s)
{
	return ++s->tables.steps <= s->tables.most;
}

/* What may be a switch table. */
struct table {
	uint64_t at, base;
	const uint8_t *bytes;
	size_t n;
};

/* All n entries lead into code, and those before `last` into the body. */
static void note_end(struct sweep *s, const struct table *t, size_t n, size_t last)
{
	if (t->n >= HOOK_HELD && last && n - last < LAST_ENTRIES)
		s->has_unread_jump = true;
}

/* The comment at the top explains. False: the table ends within the bytes. */
static bool read_distances(struct sweep *s, const struct table *t, struct body body)
{
	uint64_t other = 0, next = next_loaded(s, t->at);
	const uint8_t *p = t->bytes;
	size_t n = (size_t)min_u64(t->n / 4, TABLE_MAX), last = 0;

	for (size_t i = 0; i < n; i++, p += 4) {
		const uint64_t at = t->at + i * 4, target = target_of(p, t->base);

		if (!take_step(s))
			return false;
		if (target == t->at && i < FILLERS_MAX)
			continue;
		if (!sweep_area_of(s->branches, target))
			return false;
		if (at >= next) {
			other = next;
			next = next_loaded(s, at);
		}
		if (other && !sweep_is_insn(s, target, body) &&
		    sweep_is_insn(s, target_of(p, other), body))
			return false;
		if (note_target(s, target, body))
			last = i + 1;
	}
	note_end(s, t, n, last);
	return true;
}

/* The same with distances of 8 bytes (gcc -mcmodel=large), which are short ones. */
static void read_long_distances(struct sweep *s, const struct table *t,
				struct body body)
{
	size_t n = (size_t)min_u64(t->n / 8, TABLE_MAX), last = 0;
	const uint8_t *p = t->bytes;

	for (size_t i = 0; i < n; i++, p += 8) {
		int64_t distance = (int64_t)bytes_load(p, 8);
		uint64_t target = t->base + (uint64_t)distance;

		if (!take_step(s) || distance != (int32_t)distance ||
		    !sweep_area_of(s->branches, target))
			return;
		if (note_target(s, target, body))
			last = i + 1;
	}
	note_end(s, t, n, last);
}

/* Copies n bytes of code, if there are so many. */
static void copy_code(struct sweep *s, struct table *t, size_t n)
{
	const struct hook_module *m = s->module;
	size_t left = 0;

	t->bytes = hook_bytes_at(s->code, taddr_of(t->at), &left);
	t->n = n;
	if (t->bytes && left >= n)
		return;
	if (!s->copy.bytes)
		s->copy.bytes = oom_realloc(NULL, HOOK_HELD);
	if (s->copy.at != t->at || s->copy.asked < n) {
		s->copy.at = t->at;
		s->copy.asked = n;
		s->copy.n =
			m->read_code(m->hold_ctx, taddr_of(t->at), s->copy.bytes, n);
	}
	t->bytes = s->copy.bytes;
	t->n = s->copy.n;
}

static void read_table(struct sweep *s, uint64_t table, uint64_t base, struct body body)
{
	const struct hook_module *m = s->module;
	struct table t = {.at = table, .base = base};

	t.bytes = sweep_data_at(m, table, &t.n);
	if (!t.bytes && !m->read_code)
		t.bytes = bytes_at(m->code, m->ncode, table, &t.n);
	if (t.bytes) {
		read_distances(s, &t, body);
		read_long_distances(s, &t, body);
	} else if (m->read_code && sweep_area_of(s->branches, table)) {
		copy_code(s, &t, TABLE_FIRST);
		if (read_distances(s, &t, body) && t.n >= TABLE_FIRST) {
			copy_code(s, &t, HOOK_HELD);
			read_distances(s, &t, body);
		}
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ascending, each once. */
static void sort_addresses(struct addresses *list)
{
	size_t n = 0;

	if (!list->len)
		return;
	qsort(list->data, list->len, sizeof(*list->data), compare_addresses);
	for (size_t i = 0; i < list->len; i++)
		if (!n || list->data[i] != list->data[n - 1])
			list->data[n++] = list->data[i];
	list->len = n;
}

/* Gives the body its steps, and two bits for each of its bytes. */
static void begin_tables(struct sweep *s, struct body body)
{
	const size_t n = (size_t)((body.hi - body.lo) / JUDGED + 1);

	if (n > s->tables.cap) {
		free(s->tables.judged);
		s->tables.judged = oom_realloc(NULL, n);
		s->tables.cap = n;
	}
	memset(s->tables.judged, 0, n);
	s->tables.steps = 0;
	s->tables.most = body.hi - body.lo + min_u64(s->tables.spare, BODY_STEPS);
}

static void end_tables(struct sweep *s, struct body body)
{
	const uint64_t own = body.hi - body.lo, steps = s->tables.steps;

	s->tables.spare -= min_u64(s->tables.spare, steps - min_u64(steps, own));
	s->is_unknown = steps > s->tables.most;
	s->branches->steps += steps;
}

/*
 * How many labels distances are tried from. A gap that has more of them is of many
 * functions, whose labels are not told apart.
 */
static size_t count_labels(struct sweep *s, struct body body)
{
	if (s->labels.len <= LABELS_MAX)
		return s->has_computed_jump ? s->labels.len : 0;
	if (!s->has_computed_jump)
		return 0;
	s->has_unread_jump = true;
	return body.is_gap ? 0 : LABELS_MAX;
}

void sweep_tables(struct sweep *s, struct body body)
{
	size_t nlabels;

	s->is_unknown = false;
	if (!s->loaded.len)
		return;
	sort_addresses(&s->loaded);
	sort_addresses(&s->labels);
	nlabels = count_labels(s, body);
	begin_tables(s, body);
	for (size_t i = 0; i < s->loaded.len; i++) {
		uint64_t table = s->loaded.data[i];

		read_table(s, table, table, body);
		for (size_t k = 0; k < nlabels; k++)
			if (s->labels.data[k] != table)
				read_table(s, table, s->labels.data[k], body);
		if (s->tables.steps > s->tables.most || sweep_is_stopped(s))
			break;
	}
	end_tables(s, body);
}

/* SPDX-License-Identifier: MIT */
#include "vm/run/journal.h"
#include "vm/base/bytes.h"

#define ARGUMENTS 10

static unsigned char *place(const struct firing *f)
{
	return f->slot->scratch + JOURNAL_AT + f->journal_used;
}

void journal_add(struct firing *f, enum journal_kind kind, uint64_t key,
		 const void *bytes, uint64_t n)
{
	const struct journal_entry entry = {kind, (uint32_t)n, key};
	const uint32_t left = JOURNAL_BYTES - f->journal_used;

	if (f->is_journal_full || n > left ||
	    sizeof(entry) + align_up(n, 8) + sizeof(entry) > left) {
		f->is_journal_full = true;
		return;
	}
	bytes_copy(place(f), &entry, sizeof(entry));
	f->journal_used += (uint32_t)sizeof(entry);
	if (n % 8)
		bytes_zero(place(f) + align_up(n, 8) - 8, 8);
	bytes_copy(place(f), bytes, n);
	f->journal_used += (uint32_t)align_up(n, 8);
}

int journal_read(struct firing *f, taddr addr, void *buf, uint64_t n, taddr *bad)
{
	const struct vm_env *env = &f->vm->env;
	int rc = env->read(env->ctx, addr, buf, n, bad);

	if (rc)
		journal_note(f, JOURNAL_FAULT, bad->v, NULL, 0);
	else
		journal_note(f, JOURNAL_MEMORY, addr.v, buf, n);
	return rc;
}

/* With the NUL, if it was found. */
int64_t journal_read_str(struct firing *f, taddr addr, char *buf, uint64_t n,
			 taddr *bad)
{
	const struct vm_env *env = &f->vm->env;
	int64_t len = env->read_str(env->ctx, addr, buf, n, bad);

	if (!f->is_recorded)
		return len;
	if (len >= 0 && (uint64_t)len < n)
		buf[len] = '\0';
	if (len < 0)
		journal_add(f, JOURNAL_FAULT, bad->v, NULL, 0);
	else
		journal_add(f, JOURNAL_MEMORY, addr.v, buf,
			    min_u64((uint64_t)len + 1, n));
	return len;
}

static void add_arguments(struct firing *f)
{
	const struct vm_env *env = &f->vm->env;
	uint64_t values[ARGUMENTS], known = 0, value;
	uint32_t n = 0;

	for (uint32_t i = 0; i < ARGUMENTS; i++) {
		enum builtin id = (enum builtin)(BUILTIN_arg0 + i);

		values[i] = 0;
		if (env->builtin(env->ctx, id, i, &value))
			continue;
		values[i] = value;
		known |= UINT64_C(1) << i;
		n = i + 1;
	}
	journal_add(f, JOURNAL_ARGUMENTS, known, values, n * sizeof(values[0]));
}

typedef uint32_t take_stack(void *ctx, uint64_t *pcs, uint32_t n);

/* Straight into its place, which it is too large for elsewhere. */
static void add_stack(struct firing *f, enum journal_kind kind, take_stack *take,
		      uint64_t frames)
{
	const uint32_t left = JOURNAL_BYTES - f->journal_used;
	struct journal_entry entry = {kind, 0, 0};
	unsigned char *at = place(f);
	uint64_t *pcs = (uint64_t *)(void *)(at + sizeof(entry));

	if (!take)
		return;
	if (f->is_journal_full || left < 3 * sizeof(entry)) {
		f->is_journal_full = true;
		return;
	}
	frames = min_u64(frames, (left - 2 * sizeof(entry)) / sizeof(*pcs));
	entry.size =
		take(f->vm->env.ctx, pcs, (uint32_t)frames) * (uint32_t)sizeof(*pcs);
	bytes_copy(at, &entry, sizeof(entry));
	f->journal_used += (uint32_t)sizeof(entry) + entry.size;
}

/* The last thing that a recorded firing does: its scratch memory is not needed any more.
 */
static void end_journal(struct firing *f)
{
	const struct journal_entry full = {JOURNAL_FULL, 0, 0};

	if (!f->is_journal_full)
		return;
	bytes_copy(place(f), &full, sizeof(full));
	f->journal_used += (uint32_t)sizeof(full);
}

enum fault subr_record_data(struct firing *f, const uint64_t *args, unsigned n,
			    uint64_t *out)
{
	const uint64_t frames = args[0];

	(void)n;
	*out = VM_ADDR_IMAGE; /* the empty string */
	if (!f->is_recorded)
		return FAULT_NONE;
	if (frames > PROGRAM_FRAMES_MAX)
		return FAULT_ILLOP;
	if (f->is_journal_spoilt) {
		f->journal_used = 0;
		f->is_journal_full = false;
	}
	add_arguments(f);
	if (frames) {
		add_stack(f, JOURNAL_STACK, f->vm->env.stack, frames);
		add_stack(f, JOURNAL_KERNEL, f->vm->env.kernel_stack, frames);
	}
	f->is_journal_full |= f->is_journal_spoilt;
	end_journal(f);
	*out = VM_ADDR_JOURNAL;
	return FAULT_NONE;
}

const unsigned char *journal_bytes(const struct firing *f, uint32_t *n)
{
	*n = f->is_recorded ? f->journal_used : 0;
	return f->is_recorded ? f->slot->scratch + JOURNAL_AT : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Bytes between target memory, tracer memory and memory that clauses may write.
 */
#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/run/journal.h"
#include "vm/subr/text.h"

enum fault subr_copyin(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	taddr from = taddr_of(args[0]), bad = from;
	uint32_t at;

	(void)n;
	if (!scratch_take(f, args[1], &at))
		return FAULT_NOSCRATCH;
	if (args[1] && journal_read(f, from, f->slot->scratch + at, args[1], &bad))
		return firing_bad_address(f, bad.v);
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

enum fault subr_copyinstr(struct firing *f, const uint64_t *args, unsigned n,
			  uint64_t *out)
{
	taddr from = taddr_of(args[0]), bad = from;
	struct text_new t;
	int64_t len = 0;
	enum fault fault = text_begin(f, n > 1 ? args[1] : UINT64_MAX, &t);

	if (fault != FAULT_NONE)
		return fault;
	if (t.cap)
		len = journal_read_str(f, from, t.s, t.cap, &bad);
	if (len < 0)
		return firing_bad_address(f, bad.v);
	t.len = (uint32_t)min_u64((uint64_t)len, t.cap);
	*out = text_end(f, &t);
	return FAULT_NONE;
}

enum fault subr_copyinto(struct firing *f, const uint64_t *args, unsigned n,
			 uint64_t *out)
{
	taddr from = taddr_of(args[0]), bad = from;
	unsigned char *to;
	enum fault fault = memory_room(f, args[2], args[1], &to);

	(void)n;
	(void)out;
	if (fault != FAULT_NONE)
		return fault;
	if (args[1] && journal_read(f, from, to, args[1], &bad))
		return firing_bad_address(f, bad.v);
	return memory_filled(f, args[2], args[1], to);
}

enum fault subr_alloca(struct firing *f, const uint64_t *args, unsigned n,
		       uint64_t *out)
{
	uint32_t at;

	(void)n;
	if (!scratch_take(f, args[0], &at))
		return FAULT_NOSCRATCH;
	bytes_zero(f->slot->scratch + at, args[0]);
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

enum fault subr_args_spill(struct firing *f, const uint64_t *args, unsigned n,
			   uint64_t *out)
{
	uint32_t at;

	if (!scratch_take(f, n * sizeof(args[0]), &at))
		return FAULT_NOSCRATCH;
	for (unsigned i = 0; i < n; i++)
		bytes_store(f->slot->scratch + at + i * sizeof(args[0]), args[i],
			    sizeof(args[0]));
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

enum fault subr_local_gone(struct firing *f, const uint64_t *args, unsigned n,
			   uint64_t *out)
{
	(void)args;
	(void)n;
	(void)out;
	return firing_no_local(f);
}

enum fault subr_print_piece(struct firing *f, const uint64_t *args, unsigned n,
			    uint64_t *out)
{
	uint64_t size = min_u64(args[2], args[3]);
	taddr bad = taddr_of(args[1]);
	unsigned char *to;
	enum fault fault;

	(void)n;
	(void)out;
	if (args[3] > SCRATCH_BYTES)
		return firing_bad_address(f, args[0]);
	fault = memory_room(f, args[0], args[3] + 8, &to);
	if (fault != FAULT_NONE)
		return fault;
	if (size && journal_read(f, taddr_of(args[1]), to + 8, size, &bad))
		size = 0;
	bytes_zero(to + 8 + size, args[3] - size);
	bytes_store(to, size, 8);
	return memory_filled(f, args[0], args[3] + 8, to);
}

enum fault subr_bcopy(struct firing *f, const uint64_t *args, unsigned n, uint64_t *out)
{
	(void)n;
	(void)out;
	return args[2] ? memory_copy(f, args[1], args[0], args[2]) : FAULT_NONE;
}

/* ---- destructive: into the target ---- */

static enum fault write_target(struct firing *f, const void *bytes, uint64_t n,
			       uint64_t addr)
{
	const struct vm_env *env = &f->vm->env;
	taddr bad = taddr_of(addr);

	if (!env->write)
		return FAULT_ILLOP;
	if (n && env->write(env->ctx, taddr_of(addr), bytes, n, &bad))
		return firing_bad_address(f, bad.v);
	return FAULT_NONE;
}

enum fault subr_copyout(struct firing *f, const uint64_t *args, unsigned n,
			uint64_t *out)
{
	const unsigned char *from = NULL;
	enum fault fault = FAULT_NONE;

	(void)n;
	(void)out;
	if (args[2])
		fault = memory_bytes(f, args[0], args[2], &from);
	return fault == FAULT_NONE ? write_target(f, from, args[2], args[1]) : fault;
}

/* The terminator counts: it is written when there is room for it. */
enum fault subr_copyoutstr(struct firing *f, const uint64_t *args, unsigned n,
			   uint64_t *out)
{
	static const char end[1];
	struct text s;
	enum fault fault = text_take(f, args[0], &s);

	(void)n;
	(void)out;
	if (fault == FAULT_NONE)
		fault = write_target(f, s.s, min_u64(s.len, args[2]), args[1]);
	if (fault == FAULT_NONE && s.len < args[2])
		fault = write_target(f, end, 1, args[1] + s.len);
	return fault;
}

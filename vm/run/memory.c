/* SPDX-License-Identifier: MIT */
/*
 * Tracer memory: three regions at addresses that no process has. Every access
 * of a D program to memory that is not the target's comes through here.
 */
#include "vm/base/bytes.h"
#include "vm/base/str.h"
#include "vm/run/firing.h"

const unsigned char *memory_at(const struct firing *f, uint64_t addr, uint64_t *avail)
{
	uint64_t offset = addr & (VM_ADDR_SPAN - 1), size;
	const void *base;

	switch (addr - offset) {
	case VM_ADDR_IMAGE:
		base = program_section(f->vm->image, SECTION_STR);
		size = program_count(f->vm->image, SECTION_STR);
		break;
	case VM_ADDR_SCRATCH:
		base = f->slot->scratch;
		size = f->scratch_used;
		break;
	case VM_ADDR_NAMES:
		base = f->vm->names;
		size = f->vm->names_size;
		break;
	default:
		return NULL;
	}
	if (offset >= size)
		return NULL;
	*avail = size - offset;
	return (const unsigned char *)base + offset;
}

enum fault memory_bytes(struct firing *f, uint64_t addr, uint64_t n,
			const unsigned char **bytes)
{
	uint64_t avail = 0;

	*bytes = memory_at(f, addr, &avail);
	return n <= avail && *bytes ? FAULT_NONE : firing_bad_address(f, addr);
}

enum fault memory_writable(struct firing *f, uint64_t addr, uint64_t n,
			   unsigned char **bytes)
{
	uint64_t offset = addr - VM_ADDR_SCRATCH;

	if (offset > f->scratch_used || n > f->scratch_used - offset)
		return firing_bad_address(f, addr);
	*bytes = f->slot->scratch + offset;
	return FAULT_NONE;
}

enum fault memory_load(struct firing *f, uint64_t addr, unsigned access, uint64_t *out)
{
	const unsigned char *p;
	unsigned size = access & 15;
	enum fault fault = memory_bytes(f, addr, size, &p);

	if (fault == FAULT_NONE)
		*out = subobject_extend(bytes_load(p, size), access);
	return fault;
}

enum fault memory_store(struct firing *f, uint64_t addr, unsigned access,
			uint64_t value)
{
	unsigned size = access & 15;
	unsigned char *to;
	enum fault fault = memory_writable(f, addr, size, &to);

	if (fault == FAULT_NONE)
		bytes_store(to, value, size);
	return fault;
}

enum fault memory_load_target(struct firing *f, uint64_t addr, unsigned access,
			      uint64_t *out)
{
	const struct vm_env *env = &f->vm->env;
	unsigned size = access & 15;
	taddr bad = taddr_of(addr);
	uint64_t raw = 0;

	if (env->read(env->ctx, taddr_of(addr), &raw, size, &bad) != 0)
		return firing_bad_address(f, bad.v);
	*out = subobject_extend(raw, access);
	return FAULT_NONE;
}

enum fault memory_string(struct firing *f, uint64_t addr, const char **text,
			 uint32_t *len)
{
	uint64_t avail = 0;

	*text = (const char *)memory_at(f, addr, &avail);
	*len = 0;
	if (*text)
		*len = (uint32_t)str_len(*text, min_u64(avail, f->strsize));
	else if (addr)
		return firing_bad_address(f, addr);
	return FAULT_NONE;
}

enum fault memory_compare(struct firing *f, uint64_t a, uint64_t b, uint64_t *out)
{
	const char *x, *y;
	uint32_t nx, ny;
	int order;
	enum fault fault = memory_string(f, a, &x, &nx);

	if (fault == FAULT_NONE)
		fault = memory_string(f, b, &y, &ny);
	if (fault != FAULT_NONE)
		return fault;
	order = bytes_compare(x, y, min_u64(nx, ny));
	if (order == 0)
		order = nx < ny ? -1 : nx > ny;
	*out = (uint64_t)(int64_t)order;
	return FAULT_NONE;
}

enum fault memory_copy(struct firing *f, uint64_t dst, uint64_t src, uint32_t n)
{
	const unsigned char *from;
	unsigned char *to;
	enum fault fault = memory_bytes(f, src, n, &from);

	if (fault == FAULT_NONE)
		fault = memory_writable(f, dst, n, &to);
	if (fault == FAULT_NONE)
		bytes_move(to, from, n);
	return fault;
}

enum fault memory_copy_string(struct firing *f, uint64_t dst, uint64_t src, uint32_t n)
{
	const char *text;
	unsigned char *to;
	uint32_t len;
	enum fault fault = memory_string(f, src, &text, &len);

	if (fault == FAULT_NONE)
		fault = memory_writable(f, dst, n, &to);
	if (fault != FAULT_NONE)
		return fault;
	len = len < n ? len : n;
	bytes_move(to, text, len);
	bytes_zero(to + len, n - len);
	return FAULT_NONE;
}

enum fault memory_array_string(struct firing *f, uint64_t addr, uint32_t n,
			       uint64_t *out)
{
	const unsigned char *p;
	uint32_t at;
	enum fault fault = memory_bytes(f, addr, n, &p);

	*out = addr;
	if (fault != FAULT_NONE || str_len((const char *)p, n) < n)
		return fault;
	if (!scratch_take(f, (uint64_t)n + 1, &at))
		return FAULT_NOSCRATCH;
	bytes_copy(f->slot->scratch + at, p, n);
	f->slot->scratch[at + n] = '\0';
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

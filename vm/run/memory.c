/* SPDX-License-Identifier: MIT */
/*
 * Tracer memory: regions at addresses that no process has. Every access of a D program
 * to memory that is not the target's comes through here.
 */
#include "vm/base/bytes.h"
#include "vm/base/str.h"
#include "vm/run/firing.h"
#include "vm/run/journal.h"

struct region {
	const unsigned char *base; /* NULL: there is none */
	uint64_t size;
};

static struct region region_of(const struct firing *f, uint64_t addr)
{
	const struct vm *vm = f->vm;

	switch (addr & ~(VM_ADDR_SPAN - 1)) {
	case VM_ADDR_IMAGE:
		return (struct region){program_section(vm->image, SECTION_STR),
				       program_count(vm->image, SECTION_STR)};
	case VM_ADDR_SCRATCH:
		return (struct region){f->slot->scratch, f->scratch_used};
	case VM_ADDR_NAMES:
		return (struct region){(const unsigned char *)vm->names,
				       vm->names_size};
	default:
		return (struct region){NULL, 0};
	}
}

/* A copy in scratch memory. */
static enum fault copy_object(struct firing *f, uint64_t addr, uint64_t n,
			      const unsigned char **bytes)
{
	uint32_t at;

	if (object_left(f, addr) < n)
		return firing_bad_address(f, addr);
	if (!scratch_take(f, n, &at))
		return FAULT_NOSCRATCH;
	*bytes = f->slot->scratch + at;
	return object_read(f, addr, f->slot->scratch + at, n);
}

enum fault memory_at(struct firing *f, uint64_t addr, const unsigned char **bytes,
		     uint64_t *avail)
{
	uint64_t offset = addr & (VM_ADDR_SPAN - 1);
	struct region region;

	*bytes = NULL;
	*avail = 0;
	if (object_is(addr)) {
		*avail = min_u64(object_left(f, addr), f->strsize);
		return *avail ? copy_object(f, addr, *avail, bytes) : FAULT_NONE;
	}
	region = region_of(f, addr);
	if (offset >= region.size)
		return FAULT_NONE;
	*avail = region.size - offset;
	*bytes = region.base + offset;
	return FAULT_NONE;
}

/* Is it in scratch memory, taken or not? */
static bool is_scratch(uint64_t addr, uint64_t n)
{
	uint64_t offset = addr - VM_ADDR_SCRATCH;

	return offset <= SCRATCH_BYTES && n <= SCRATCH_BYTES - offset;
}

enum fault memory_bytes(struct firing *f, uint64_t addr, uint64_t n,
			const unsigned char **bytes)
{
	uint64_t offset = addr & (VM_ADDR_SPAN - 1);
	struct region region;

	if (object_is(addr))
		return copy_object(f, addr, n, bytes);
	if (is_scratch(addr, n)) {
		*bytes = f->slot->scratch + offset;
		return FAULT_NONE;
	}
	region = region_of(f, addr);
	if (offset >= region.size || n > region.size - offset)
		return firing_bad_address(f, addr);
	*bytes = region.base + offset;
	return FAULT_NONE;
}

enum fault memory_room(struct firing *f, uint64_t addr, uint64_t n,
		       unsigned char **bytes)
{
	uint32_t at;

	if (is_scratch(addr, n)) {
		*bytes = f->slot->scratch + (addr - VM_ADDR_SCRATCH);
		return FAULT_NONE;
	}
	if (object_left(f, addr) < n || n == 0)
		return firing_bad_address(f, addr);
	if (!scratch_take(f, n, &at))
		return FAULT_NOSCRATCH;
	*bytes = f->slot->scratch + at;
	return FAULT_NONE;
}

enum fault memory_filled(struct firing *f, uint64_t addr, uint64_t n,
			 const unsigned char *bytes)
{
	return object_is(addr) ? object_write(f, addr, bytes, n) : FAULT_NONE;
}

enum fault memory_write(struct firing *f, uint64_t addr, const unsigned char *bytes,
			uint64_t n)
{
	if (object_is(addr))
		return object_write(f, addr, bytes, n);
	if (!is_scratch(addr, n))
		return firing_bad_address(f, addr);
	bytes_move(f->slot->scratch + (addr - VM_ADDR_SCRATCH), bytes, n);
	return FAULT_NONE;
}

/* As LD and ST do it: no scratch memory is taken. */
enum fault memory_load(struct firing *f, uint64_t addr, unsigned access, uint64_t *out)
{
	const unsigned char *p;
	unsigned char bytes[8];
	unsigned size = access & 15;
	enum fault fault;

	if (object_is(addr)) {
		fault = object_read(f, addr, bytes, size);
		p = bytes;
	} else {
		fault = memory_bytes(f, addr, size, &p);
	}
	if (fault == FAULT_NONE)
		*out = subobject_extend(bytes_load(p, size), access);
	return fault;
}

enum fault memory_store(struct firing *f, uint64_t addr, unsigned access,
			uint64_t value)
{
	unsigned size = access & 15;
	unsigned char bytes[8];

	bytes_store(bytes, value, size);
	return memory_write(f, addr, bytes, size);
}

enum fault memory_load_target(struct firing *f, uint64_t addr, unsigned access,
			      uint64_t *out)
{
	unsigned size = access & 15;
	taddr bad = taddr_of(addr);
	uint64_t raw = 0;

	if (journal_read(f, taddr_of(addr), &raw, size, &bad) != 0)
		return firing_bad_address(f, bad.v);
	*out = subobject_extend(raw, access);
	return FAULT_NONE;
}

enum fault memory_string(struct firing *f, uint64_t addr, const char **text,
			 uint32_t *len)
{
	const unsigned char *bytes;
	uint64_t avail;
	enum fault fault;

	if (addr == VM_ADDR_JOURNAL && f->is_recorded) {
		*text = (const char *)journal_bytes(f, len);
		return FAULT_NONE;
	}
	fault = memory_at(f, addr, &bytes, &avail);
	*text = (const char *)bytes;
	*len = 0;
	if (fault == FAULT_NONE && bytes)
		*len = (uint32_t)str_len(*text, min_u64(avail, f->strsize));
	else if (fault == FAULT_NONE && addr)
		return firing_bad_address(f, addr);
	return fault;
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

enum fault memory_copy(struct firing *f, uint64_t dst, uint64_t src, uint64_t n)
{
	const unsigned char *from;
	enum fault fault = memory_bytes(f, src, n, &from);

	return fault == FAULT_NONE ? memory_write(f, dst, from, n) : fault;
}

enum fault memory_copy_string(struct firing *f, uint64_t dst, uint64_t src, uint32_t n)
{
	const char *text;
	unsigned char *to;
	uint32_t len;
	enum fault fault = memory_string(f, src, &text, &len);

	if (fault == FAULT_NONE)
		fault = memory_room(f, dst, n, &to);
	if (fault != FAULT_NONE)
		return fault;
	len = len < n ? len : n;
	bytes_move(to, text, len);
	bytes_zero(to + len, n - len);
	return memory_filled(f, dst, n, to);
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

enum fault memory_string_room(struct firing *f, uint64_t addr, uint64_t offset,
			      uint64_t *out)
{
	const char *text;
	uint32_t len, at;
	uint64_t n;
	enum fault fault = memory_string(f, addr, &text, &len);

	if (fault != FAULT_NONE)
		return fault;
	if (offset >= f->strsize)
		return firing_bad_address(f, addr + offset);
	n = max_u64(len, offset + 1) + 1;
	if (!scratch_take(f, n, &at))
		return FAULT_NOSCRATCH;
	bytes_copy(f->slot->scratch + at, text, len);
	bytes_zero(f->slot->scratch + at + len, n - len);
	*out = VM_ADDR_SCRATCH + at;
	return FAULT_NONE;
}

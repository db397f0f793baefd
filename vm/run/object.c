/* SPDX-License-Identifier: MIT */
/*
 * D variables by address. An address names a variable or a cell, never a place in the
 * block, so it means the same in every home. It may come from anywhere, also from memory
 * that a target writes, so every use looks again what it names.
 */
#include "vm/base/bytes.h"
#include "vm/run/firing.h"

struct object {
	const struct program_var *var;
	uint32_t cell; /* 0: a global */
	uint64_t offset;
};

static const struct program_var *global_of(const struct firing *f, uint64_t number)
{
	const struct program_var *v;

	if (number >= program_count(f->vm->image, SECTION_VAR))
		return NULL;
	v = program_var(f->vm->image, (uint32_t)number);
	return v->scope == SCOPE_GLOBAL && v->value.kind == KIND_BYTES ? v : NULL;
}

static bool find(const struct firing *f, uint64_t addr, struct object *o)
{
	uint64_t in_globals = addr - VM_ADDR_GLOBALS, in_cells = addr - VM_ADDR_CELLS;

	*o = (struct object){.offset =
				     addr & ((UINT64_C(1) << VM_ADDR_OFFSET_BITS) - 1)};
	if (in_globals < VM_ADDR_SPAN) {
		o->var = global_of(f, in_globals >> VM_ADDR_OFFSET_BITS);
	} else if (in_cells < VM_ADDR_CELLS_SPAN) {
		o->cell = (uint32_t)(in_cells >> VM_ADDR_OFFSET_BITS);
		o->var = dynvar_of_cell(f, o->cell);
	}
	return o->var != NULL;
}

static bool has(const struct object *o, uint64_t n)
{
	uint64_t size = o->var->value.size;

	return n <= size && o->offset <= size - n;
}

uint64_t object_left(const struct firing *f, uint64_t addr)
{
	struct object o;

	return find(f, addr, &o) && has(&o, 1) ? o.var->value.size - o.offset : 0;
}

enum fault object_read(struct firing *f, uint64_t addr, void *buf, uint64_t n)
{
	struct object o;
	struct piece p;

	if (!find(f, addr, &o) || !has(&o, n))
		return firing_bad_address(f, addr);
	p = (struct piece){o.offset, n};
	if (!o.cell)
		vars_read(f, o.var, p, buf);
	else if (!dynvar_read(f, o.cell, p, buf))
		return firing_bad_address(f, addr);
	return FAULT_NONE;
}

enum fault object_write(struct firing *f, uint64_t addr, const void *bytes, uint64_t n)
{
	struct object o;
	struct piece p;

	if (!find(f, addr, &o) || !has(&o, n))
		return firing_bad_address(f, addr);
	p = (struct piece){o.offset, n};
	if (!o.cell)
		vars_write(f, o.var, p, bytes);
	else if (!dynvar_write(f, o.cell, p, bytes))
		return firing_bad_address(f, addr);
	return FAULT_NONE;
}

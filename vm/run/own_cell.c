/* SPDX-License-Identifier: MIT */
#include "vm/run/own_cell.h"

static uint32_t *remembered(const struct vm *vm, uint32_t var)
{
	return &layout_slot(vm->state, vm->slot)->own_cells[var % OWN_CELLS];
}

static uint64_t *value_of(const struct cell *c)
{
	return (uint64_t *)(uintptr_t)c->u.head.data;
}

uint64_t own_cell_value(const struct cell *c)
{
	return __atomic_load_n(value_of(c), __ATOMIC_RELAXED);
}

static bool is_own(const struct cell *c)
{
	return c->u.head.value_len == (sizeof(uint64_t) | CELL_OWN);
}

/* A cell that was freed is no own element, or has another thread's identity. */
struct cell *own_cell_remembered(const struct vm *vm, uint32_t var)
{
	struct cell *c = cell_at(vm->state, *remembered(vm, var));

	if (!c || c->u.head.thread != vm->thread || c->u.head.var != var ||
	    c->u.head.key_size || !is_own(c))
		return NULL;
	return c;
}

struct cell *own_cell_find(const struct vm *vm, const struct dynkey *k)
{
	struct cell *c = own_cell_remembered(vm, k->var);
	_Atomic uint32_t *link;

	if (c)
		return c;
	c = cell_find(vm->state, k, &link);
	if (!c || !is_own(c))
		return NULL;
	*remembered(vm, k->var) = cell_link(link);
	return cell_at(vm->state, cell_link(link)) == c ? c : NULL;
}

/* Counts the element among those that stay; false: there are too many. */
static bool take_place(struct state *s)
{
	_Atomic uint32_t *owned = &layout_variables(s)->owned;

	if (atomic_fetch_add_explicit(owned, 1, memory_order_relaxed) <
	    OWN_ELEMENTS_MAX)
		return true;
	atomic_fetch_sub_explicit(owned, 1, memory_order_relaxed);
	return false;
}

bool own_cell_make(const struct vm *vm, const struct dynkey *k, uint64_t value)
{
	const struct dynvalue v = {&value, sizeof(value)};
	struct state *s = vm->state;
	_Atomic uint32_t *link;
	uint32_t made;

	if (cell_find(s, k, &link) || !take_place(s))
		return false;
	made = cell_add(s, k, &v, cell_link(link));
	if (!made) {
		atomic_fetch_sub_explicit(&layout_variables(s)->owned, 1,
					  memory_order_relaxed);
		return false;
	}
	cell_at(s, made)->u.head.value_len |= CELL_OWN;
	atomic_store_explicit(link, made, memory_order_release);
	*remembered(vm, k->var) = made;
	return true;
}

void own_cell_set(const struct vm *vm, struct cell *c, uint64_t nominal, uint64_t value)
{
	struct dynkey k = {.nominal = (uint32_t)nominal,
			   .slot = layout_slot(vm->state, vm->slot)};
	uint64_t old = own_cell_value(c);

	if (!old && value && !cell_take_room(vm->state, &k)) {
		layout_count(&k.slot->drops.dynvars);
		return;
	}
	__atomic_store_n(value_of(c), value, __ATOMIC_RELAXED);
	if (old && !value)
		cell_give_room(vm->state, &k);
}

bool own_cell_release(struct state *s, struct cell *c)
{
	if (!is_own(c))
		return true;
	c->u.head.value_len = sizeof(uint64_t); /* a slot may remember the cell */
	atomic_fetch_sub_explicit(&layout_variables(s)->owned, 1, memory_order_relaxed);
	return own_cell_value(c) != 0;
}

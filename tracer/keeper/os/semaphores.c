/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/semaphores.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/vec.h"

static bool is_data(const struct procfs_maps *maps, taddr addr)
{
	const struct procfs_area *a = procfs_maps_find(maps, addr);

	return a && a->is_writable && !a->is_executable && !a->is_shared &&
	       a->kind == AREA_PLAIN && a->range.hi.v - addr.v >= sizeof(uint16_t);
}

static bool is_known(const struct semaphores *s, taddr addr)
{
	for (size_t i = 0; i < s->len; i++)
		if (s->data[i].addr.v == addr.v && s->data[i].is_raised)
			return true;
	return false;
}

bool semaphores_raise(struct semaphores *s, int mem, const struct procfs_maps *maps,
		      taddr addr)
{
	uint16_t value;

	if (is_known(s, addr))
		return true;
	if (!is_data(maps, addr) || mem_read(mem, addr, &value, sizeof(value)) < 0 ||
	    value == UINT16_MAX)
		return false;
	value++;
	if (mem_write(mem, addr, &value, sizeof(value)) < 0)
		return false;
	vec_push(s);
	s->data[s->len - 1].addr = addr;
	s->data[s->len - 1].is_raised = true;
	return true;
}

/* A program may have cleared the word itself: it stays 0. */
static void lower(int mem, taddr addr)
{
	uint16_t value;

	if (mem_read(mem, addr, &value, sizeof(value)) < 0 || !value)
		return;
	value--;
	mem_write(mem, addr, &value, sizeof(value));
}

void semaphores_lower_one(int mem, const struct procfs_maps *maps, taddr addr)
{
	if (addr.v && is_data(maps, addr))
		lower(mem, addr);
}

void semaphores_lower(struct semaphores *s, int mem)
{
	for (size_t i = 0; i < s->len; i++) {
		if (s->data[i].is_raised)
			lower(mem, s->data[i].addr);
		s->data[i].is_raised = false;
	}
}

void semaphores_lower_copy(const struct semaphores *s, int mem)
{
	for (size_t i = 0; i < s->len; i++)
		lower(mem, s->data[i].addr);
}

void semaphores_forget(struct semaphores *s, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < s->len; i++)
		if (!taddr_in(s->data[i].addr, r.lo, r.hi))
			s->data[n++] = s->data[i];
	s->len = n;
}

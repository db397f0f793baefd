/* SPDX-License-Identifier: MIT */
/*
 * Where resident code is entered. The block it is given was laid out by the
 * keeper before the first probe could fire; nothing in it is allocated, and
 * nothing outside it and the stack is written.
 *
 * This is the beginning of the resident code: the way from a site to here
 * (registers saved in the slot, the stack switched) and guarded reads of the
 * target's memory come with the fpid provider. Until then every read of target
 * memory faults, which a clause sees as an invalid address.
 */
#include "hook/resident/enter.h"
#include "vm/base/status.h"
#include "vm/base/str.h"

static int read_nothing(void *ctx, taddr addr, void *buf, size_t n, taddr *bad)
{
	(void)ctx;
	(void)buf;
	(void)n;
	*bad = addr;
	return STATUS_FAULT;
}

static int read_no_string(void *ctx, taddr addr, char *buf, size_t n, size_t *len,
			  taddr *bad)
{
	*len = 0;
	return read_nothing(ctx, addr, buf, n, bad);
}

static int load_builtin(void *ctx, enum builtin id, uint64_t index, uint64_t *value)
{
	const struct resident_block *block = ctx;

	if (id <= BUILTIN_arg9)
		*value = index < RESIDENT_ARGS ? block->args[index] : 0;
	else if (id == BUILTIN_pid)
		*value = block->pid;
	else if (id == BUILTIN_tid)
		*value = block->tid;
	else if (id == BUILTIN_timestamp)
		*value = block->timestamp;
	else
		return STATUS_RANGE;
	return 0;
}

static int load_no_text(void *ctx, enum builtin id, char *buf, size_t cap)
{
	(void)ctx;
	(void)id;
	str_copy(buf, cap, "");
	return STATUS_RANGE;
}

/* Position in the block, so that no address is stored in shared memory. */
static const void *at(const struct resident_block *block, uint64_t offset)
{
	return (const char *)block + offset;
}

void resident_enter(struct resident_block *block)
{
	struct vm vm;
	const struct vm_probe *probes = at(block, block->probes_at);

	if (block->magic != RESIDENT_MAGIC || block->version != RESIDENT_VERSION)
		return;
	vm.image = at(block, block->image_at);
	vm.state = (struct state *)((char *)block + block->state_at);
	vm.slot = block->slot;
	vm.names = at(block, block->names_at);
	vm.names_size = block->names_size;
	vm.enablings = at(block, block->enablings_at);
	vm.error = block->error ? &probes[block->error - 1] : NULL;
	vm.env.ctx = block;
	vm.env.read = read_nothing;
	vm.env.read_str = read_no_string;
	vm.env.builtin = load_builtin;
	vm.env.builtin_str = load_no_text;
	vm.home = HOME_RESIDENT;
	vm.cpu = block->cpu;
	vm.pid = block->pid;
	vm.tid = block->tid;
	vm.thread = block->thread;
	vm_fire(&vm, &probes[block->probe], VM_FIRE_NORMAL);
}

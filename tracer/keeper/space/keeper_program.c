/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/keeper_program.h"
#include "hook/resident.h"
#include "tracer/keeper/os/memory_file.h"
#include "vm/base/host/joined_map.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The region layout of the file, checked; false: it is malformed. */
static bool read_layout(int fd, struct state *out, size_t n)
{
	return pread(fd, out, n, 0) == (ssize_t)n && state_check(out, UINT64_MAX) == 0;
}

static bool is_large_enough(int fd, uint64_t n)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (uint64_t)st.st_size >= n;
}

static int map_block(struct keeper_program *p, const int *regions, struct err *e)
{
	_Alignas(STATE_LAYOUT_BYTES) unsigned char layout[STATE_LAYOUT_BYTES];
	struct joined_file files[STATE_REGIONS];
	struct state *s = (void *)layout;

	if (!read_layout(regions[STATE_LAYOUT], s, sizeof(layout)))
		return err_set(e, STATUS_BADFMT, "the state block is malformed");
	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(s, (enum state_region)i);

		if (!is_large_enough(regions[i], r.size))
			return err_set(e, STATUS_BADFMT,
				       "the state block is too small");
		files[i] = (struct joined_file){regions[i], r.at, r.size, false};
	}
	p->state = joined_map(files, STATE_REGIONS);
	if (!p->state)
		return err_errno(e, STATUS_IO, "cannot map the state block");
	p->state_bytes = files[STATE_REGIONS - 1].at + files[STATE_REGIONS - 1].size;
	/* Targets can neither write to it, nor add a seal that others suffer from. */
	if (memory_file_seal_data(regions[STATE_CONTROL]))
		return 0;
	munmap(p->state, p->state_bytes);
	p->state = NULL;
	return err_errno(e, STATUS_IO, "cannot seal the state block");
}

int keeper_program_load(struct keeper_program *p, struct link_memory image,
			const int *regions, struct err *e)
{
	struct verify_error why;
	void *copy;
	int status;

	if (p->image)
		return err_set(e, STATUS_INVAL, "the program is loaded already");
	copy = link_copy(image, e);
	if (!copy) {
		err_context(e, "cannot read the program image");
		return e->status;
	}
	if (program_verify(copy, image.bytes, &why) < 0) {
		free(copy);
		return err_set(e, STATUS_BADFMT, "the program image is malformed: %s",
			       why.text);
	}
	status = map_block(p, regions, e);
	if (status < 0) {
		free(copy);
		return status;
	}
	for (int i = 0; i < STATE_REGIONS; i++)
		p->files[i] = fcntl(regions[i], F_DUPFD_CLOEXEC, 0);
	p->image = copy;
	p->image_bytes = image.bytes;
	p->has_variables = vm_shares_variables(copy);
	p->vm.image = copy;
	p->vm.state = p->state;
	p->vm.slot = STATE_SLOT_KEEPER;
	p->vm.context = CONTEXT_KEEPER;
	return 0;
}

static bool are_good_operands(const struct vm_table *t, const void *at)
{
	const struct probe_operands *sets = at;

	if (t->noperands && t->names_size % sizeof(uint32_t))
		return false;
	for (uint32_t i = 0; i < t->noperands; i++) {
		if (!sets[i].probe || sets[i].probe > t->nprobes)
			return false;
		for (uint32_t k = 0; k < PROBE_OPERANDS_MAX; k++)
			if (!probe_operand_is_valid(&sets[i].arg[k]))
				return false;
	}
	return true;
}

static bool is_good_table(const struct keeper_program *p, const struct vm_table *t,
			  uint64_t bytes)
{
	const struct vm_probe *probes = (const void *)(t + 1);
	const struct vm_enabling *enablings;
	const struct vm_fullname *fullnames;
	uint32_t nclauses = program_count(p->image, SECTION_CLAUSE);
	const char *names;

	if (bytes < sizeof(*t) ||
	    bytes != sizeof(*t) +
			     t->nprobes *
				     (uint64_t)(sizeof(*probes) + sizeof(*fullnames)) +
			     t->nenablings * (uint64_t)sizeof(*enablings) +
			     t->names_size +
			     t->noperands * (uint64_t)sizeof(struct probe_operands))
		return false;
	enablings = (const void *)(probes + t->nprobes);
	fullnames = (const void *)(enablings + t->nenablings);
	names = (const char *)(fullnames + t->nprobes);
	if (!t->names_size || names[t->names_size - 1] ||
	    !are_good_operands(t, names + t->names_size))
		return false;
	if ((t->error != UINT32_MAX && t->error >= t->nprobes) ||
	    t->missed_ustack > t->nprobes)
		return false;
	for (uint32_t i = 0; i < t->nenablings; i++)
		if (enablings[i].clause >= nclauses)
			return false;
	for (uint32_t i = 0; i < t->nprobes; i++) {
		const struct vm_probe *v = &probes[i];

		if (v->id != i + 1 ||
		    (uint64_t)v->first_enabling + v->nenablings > t->nenablings)
			return false;
		for (int k = 0; k < 4; k++)
			if (fullnames[i].field[k] >= t->names_size)
				return false;
	}
	return true;
}

/* Larger tables of a slot are sparse. */
#define WARM_MAX (UINT64_C(1) << 20)

/* A chunk of the slot's shard, and one of its ring. */
#define WARM_CHUNKS 2

static void populate(const struct state *s, uint64_t from, uint64_t to)
{
	uint64_t at = from & ~UINT64_C(4095);

	if (to > at)
		madvise((char *)(uintptr_t)s + at, min_u64(to - at, WARM_MAX),
			MADV_POPULATE_WRITE);
}

void keeper_program_warm(struct keeper_program *p)
{
	struct state_range others, slots, pool, control;

	if (p->is_warm || !p->state)
		return;
	p->is_warm = true;
	others = state_slots(p->state, STATE_SLOT_KEEPER);
	slots = state_slots(p->state, STATE_SLOT_KEEPER + 1);
	pool = state_pool(p->state, WARM_CHUNKS);
	control = state_region(p->state, STATE_CONTROL);
	populate(p->state, others.at, others.at + 1);
	populate(p->state, others.at + others.size, slots.at + slots.size);
	populate(p->state, pool.at, pool.at + pool.size);
	populate(p->state, control.at, control.at + 1);
}

static const char *provider_of(const struct keeper_program *p, uint32_t probe)
{
	return p->vm.names + p->vm.fullnames[probe].field[0];
}

/* Providers of programs have names of their own, which end in a process id as well. */
bool keeper_program_may_jump(const struct keeper_program *p, uint32_t probe)
{
	const char *name = probe < p->nprobes ? provider_of(p, probe) : "pid";

	if (strncmp(name, "pid", 3) == 0 && !name[3 + strspn(name + 3, "0123456789")])
		return false;
	return *name && strchr("0123456789", name[strlen(name) - 1]);
}

bool keeper_program_records(const struct keeper_program *p, uint32_t probe)
{
	const struct vm_probe *f = probe < p->nprobes ? &p->probes[probe] : NULL;

	for (uint32_t i = 0; f && i < f->nenablings; i++) {
		uint32_t clause = p->vm.enablings[f->first_enabling + i].clause;

		if (program_clause(p->image, clause)->nominal)
			return true;
	}
	return false;
}

/* Whether the probe may fire inside targets. */
static bool fires_there(const struct keeper_program *p, const struct vm_probe *probe)
{
	uint32_t index = probe->id - 1;

	return probe == p->vm.error || keeper_program_may_jump(p, index) ||
	       strcmp(provider_of(p, index), "diag") == 0;
}

/* What the clauses that run in targets may do. */
static void find_effects(struct keeper_program *p)
{
	for (uint32_t i = 0; i < p->nprobes; i++) {
		const struct vm_probe *probe = &p->probes[i];

		if (!probe->nenablings || !fires_there(p, probe))
			continue;
		for (uint32_t k = 0; k < probe->nenablings; k++) {
			const struct vm_enabling *en =
				&p->vm.enablings[probe->first_enabling + k];
			const struct program_clause *clause =
				program_clause(p->image, en->clause);

			if (!(clause->contexts & CONTEXT_RESIDENT))
				continue;
			p->reads_there |= program_reads_target(p->image, clause);
			p->stops_there |= program_stops(p->image, clause);
		}
	}
}

int keeper_program_set_probes(struct keeper_program *p, struct link_memory table,
			      struct err *e)
{
	struct vm_table *t;

	if (!p->image)
		return err_set(e, STATUS_INVAL, "no program is loaded");
	t = link_copy(table, e);
	if (!t) {
		err_context(e, "cannot read the probe table");
		return e->status;
	}
	if (!is_good_table(p, t, table.bytes)) {
		free(t);
		return err_set(e, STATUS_BADFMT, "the probe table is malformed");
	}
	if (t->nprobes < p->nprobes || t->noperands < p->noperands) {
		free(t);
		return err_set(e, STATUS_INVAL, "the probe table may only grow");
	}
	free(p->table);
	p->table = t;
	p->table_bytes = table.bytes;
	p->version++;
	p->nprobes = t->nprobes;
	p->probes = (const void *)(t + 1);
	p->vm.enablings = (const void *)(p->probes + t->nprobes);
	p->vm.fullnames = (const void *)(p->vm.enablings + t->nenablings);
	p->vm.names = (const char *)(p->vm.fullnames + t->nprobes);
	p->vm.names_size = t->names_size;
	p->operands = (const void *)(p->vm.names + t->names_size);
	p->noperands = t->noperands;
	p->vm.error = t->error == UINT32_MAX ? NULL : &p->probes[t->error];
	p->missed_ustack = t->missed_ustack ? &p->probes[t->missed_ustack - 1] : NULL;
	p->reads_there = p->stops_there = false;
	find_effects(p);
	native_release(&p->native);
	if (!p->interprets)
		native_translate(p->image, t, &p->native);
	return 0;
}

static struct resident_program_sizes sizes_of(const struct keeper_program *p,
					      uint64_t code)
{
	return (struct resident_program_sizes){
		.image = p->image_bytes,
		.table = p->table_bytes,
		.natives = code ? p->nprobes * sizeof(struct native_probe) : 0,
	};
}

int keeper_program_file(const struct keeper_program *p, uint64_t code, uint64_t *bytes)
{
	const struct resident_program_sizes sizes = sizes_of(p, code);
	uint64_t n = resident_program_lay_out(NULL, &sizes);
	struct resident_program *r;
	int fd = memory_file_new("fpid-program", n);

	if (fd < 0)
		return -1;
	r = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r == MAP_FAILED) {
		close(fd);
		return -1;
	}
	resident_program_lay_out(r, &sizes);
	memcpy((char *)r + r->image_at, p->image, sizes.image);
	memcpy((char *)r + r->table_at, p->table, sizes.table);
	if (sizes.natives)
		memcpy((char *)r + r->natives_at, p->native.probes, sizes.natives);
	r->code = code;
	munmap(r, n);
	*bytes = n;
	if (memory_file_seal_data(fd))
		return fd;
	close(fd);
	return -1;
}

void keeper_program_release(struct keeper_program *p)
{
	if (p->state)
		munmap(p->state, p->state_bytes);
	for (int i = 0; i < STATE_REGIONS && p->image; i++)
		if (p->files[i] >= 0)
			close(p->files[i]);
	native_release(&p->native);
	free(p->image);
	free(p->table);
	map_release(&p->copies);
	*p = (struct keeper_program){0};
}

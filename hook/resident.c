/* SPDX-License-Identifier: MIT */
#include "hook/resident.h"
#include "hook/trampoline.h"
#include "vm/base/bytes.h"

_Static_assert(RESIDENT_PROLOGUE == STUB_EPILOGUE && RESIDENT_PROLOGUE_JMP == STUB_ON,
	       "heads");

/* resident.bin was made of the same header. */
static const struct resident_text *text(void)
{
	return (const struct resident_text *)(const void *)resident_bin;
}

static bool is_config_sane(const struct resident_config *c)
{
	return c->nsites > 0 && c->nsites <= RESIDENT_SITES_MAX &&
	       c->nhits <= RESIDENT_HITS_MAX && c->nranges <= RESIDENT_RANGES_MAX &&
	       c->nshadows <= RESIDENT_SHADOWS_MAX && c->ntcbs > 0 &&
	       c->ntcbs <= RESIDENT_TCBS_MAX && c->nmodules <= RESIDENT_MODULES_MAX &&
	       c->nthreads <= RESIDENT_TCBS_MAX;
}

/* Of one thread. */
static uint64_t cache_bytes(const struct resident_config *c)
{
	return align_up(sizeof(struct resident_count_cache) +
				c->nsites * (uint64_t)sizeof(uint32_t),
			RESIDENT_PAGE);
}

uint64_t resident_lay_out(struct resident_block *b, const struct resident_config *c)
{
	uint64_t sites = RESIDENT_PAGE, hits, pcs, ranges, shadows, modules, tcbs;
	uint64_t caches, bytes;

	if (!is_config_sane(c))
		return 0;
	hits = sites + c->nsites * (uint64_t)sizeof(struct resident_site);
	pcs = hits + c->nhits * (uint64_t)sizeof(struct resident_hit);
	ranges = align_up(pcs + c->nsites * (uint64_t)sizeof(int32_t), 64);
	shadows = ranges + c->nranges * (uint64_t)sizeof(struct resident_range);
	modules = shadows + c->nshadows * (uint64_t)sizeof(struct resident_shadow);
	tcbs = modules + c->nmodules * (uint64_t)sizeof(struct cfi_module);
	tcbs = align_up(tcbs, RESIDENT_PAGE);
	caches = tcbs + c->ntcbs * (uint64_t)RESIDENT_TCB_BYTES;
	bytes = caches + c->nthreads * cache_bytes(c);
	if (!b)
		return bytes;
	b->magic = RESIDENT_BLOCK_MAGIC;
	b->version = RESIDENT_VERSION;
	b->bytes = bytes;
	b->config = *c;
	b->sites_at = sites;
	b->hits_at = hits;
	b->pcs_at = pcs;
	b->ranges_at = ranges;
	b->shadows_at = shadows;
	b->modules_at = modules;
	b->tcbs_at = tcbs;
	b->count_caches_at = caches;
	return bytes;
}

uint64_t resident_program_lay_out(struct resident_program *p, uint64_t image_bytes,
				  uint64_t table_bytes)
{
	uint64_t image = align_up(sizeof(*p), 64);
	uint64_t table = align_up(image + image_bytes, 64);
	uint64_t bytes = align_up(table + table_bytes, RESIDENT_PAGE);

	if (p)
		*p = (struct resident_program){
			.magic = RESIDENT_PROGRAM_MAGIC,
			.version = RESIDENT_VERSION,
			.bytes = bytes,
			.image_at = image,
			.table_at = table,
		};
	return bytes;
}

/* Address of the thread's caches: 0 for one without slots, which has none. */
static uint64_t cache_of(const struct resident_block *b,
			 const struct resident_place *place,
			 const struct resident_thread *thread)
{
	uint32_t slot = thread->slot[0];
	uint32_t number = (slot - STATE_SLOT_FIRST_THREAD) / RESIDENT_LEVELS;

	if (slot < STATE_SLOT_FIRST_THREAD || number >= b->config.nthreads)
		return 0;
	return place->block + b->count_caches_at + number * cache_bytes(&b->config);
}

uint64_t resident_register(struct resident_block *b, const struct resident_place *place,
			   uint32_t index, const struct resident_thread *thread,
			   bool is_inert)
{
	uint64_t gate = place->text + text()->gate, at;
	struct resident_tcb *tcb;

	if (index >= b->config.ntcbs || place->block <= gate)
		return 0;
	at = b->tcbs_at + index * (uint64_t)RESIDENT_TCB_BYTES;
	tcb = (struct resident_tcb *)(void *)((unsigned char *)b + at);
	/* cache_sum is 0: what the slots' last owner cache_sum is forgotten. */
	tcb->gate = (struct resident_gate){
		.enter = place->text + (is_inert ? text()->inert : text()->enter),
		.self = place->block + at,
		.sites = place->block + b->sites_at,
		.cache = is_inert ? 0 : cache_of(b, place, thread),
		.state = b->state,
	};
	tcb->at = at;
	/* What was bound for the tcb's last thread. */
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		bytes_zero(tcb->level[i].internal, sizeof(tcb->level[i].internal));
	tcb->thread = *thread;
	return place->block + at - gate;
}

void resident_shared_gate(const struct resident_block *b,
			  const struct resident_place *place,
			  struct resident_gate *gate)
{
	*gate = (struct resident_gate){
		.enter = place->text + text()->inert,
		.sites = place->block + b->sites_at,
	};
}

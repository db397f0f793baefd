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

uint64_t resident_lay_out(struct resident_layout *l, const struct resident_config *c)
{
	uint64_t at = RESIDENT_PAGE;

	if (!is_config_sane(c))
		return 0;
	*l = (struct resident_layout){.config = *c};
	l->sites_at = at;
	at += c->nsites * (uint64_t)sizeof(struct resident_site);
	l->hits_at = at;
	at += c->nhits * (uint64_t)sizeof(struct resident_hit);
	l->pcs_at = at;
	at = align_up(at + c->nsites * (uint64_t)sizeof(int32_t), 64);
	l->ranges_at = at;
	at += c->nranges * (uint64_t)sizeof(struct resident_range);
	l->shadows_at = at;
	at += c->nshadows * (uint64_t)sizeof(struct resident_shadow);
	l->modules_at = at;
	at += c->nmodules * (uint64_t)sizeof(struct cfi_module);
	l->tcbs_at = align_up(at, RESIDENT_PAGE);
	l->count_caches_at = l->tcbs_at + c->ntcbs * (uint64_t)RESIDENT_TCB_BYTES;
	l->bytes = l->count_caches_at + c->nthreads * cache_bytes(c);
	return l->bytes;
}

void resident_block_init(struct resident_block *b, const struct resident_layout *l)
{
	b->magic = RESIDENT_BLOCK_MAGIC;
	b->version = RESIDENT_VERSION;
	b->layout = *l;
}

uint64_t resident_program_lay_out(struct resident_program *p,
				  const struct resident_program_sizes *sizes)
{
	uint64_t image = align_up(sizeof(*p), 64);
	uint64_t table = align_up(image + sizes->image, 64);
	uint64_t natives = align_up(table + sizes->table, 64);
	uint64_t bytes = align_up(natives + sizes->natives, RESIDENT_PAGE);

	if (p)
		*p = (struct resident_program){
			.magic = RESIDENT_PROGRAM_MAGIC,
			.version = RESIDENT_VERSION,
			.bytes = bytes,
			.image_at = image,
			.table_at = table,
			.natives_at = sizes->natives ? natives : 0,
		};
	return bytes;
}

/* Address of the thread's caches: 0 for one without slots, which has none. */
static uint64_t cache_of(const struct resident_layout *l,
			 const struct resident_place *place,
			 const struct resident_thread *thread)
{
	uint32_t slot = thread->slot[0];
	uint32_t number = (slot - STATE_SLOT_FIRST_THREAD) / RESIDENT_LEVELS;

	if (slot < STATE_SLOT_FIRST_THREAD || number >= l->config.nthreads)
		return 0;
	return place->block + l->count_caches_at + number * cache_bytes(&l->config);
}

uint64_t resident_register(const struct resident_view *v,
			   const struct resident_place *place, uint32_t index,
			   const struct resident_thread *thread, bool is_inert)
{
	const struct resident_layout *l = &v->layout;
	uint64_t gate = place->text + text()->gate;
	uint64_t at = l->tcbs_at + index * (uint64_t)RESIDENT_TCB_BYTES;
	struct resident_tcb *tcb;

	if (index >= l->config.ntcbs || place->block <= gate)
		return 0;
	tcb = resident_tcb_at(v, index);
	/* cache_sum is 0: what the slots' last owner cached is forgotten. */
	tcb->gate = (struct resident_gate){
		.enter = place->text + (is_inert ? text()->inert : text()->enter),
		.self = place->block + at,
		.sites = place->block + l->sites_at,
		.cache = is_inert ? 0 : cache_of(l, place, thread),
		.state = place->state,
	};
	tcb->at = at;
	/* What was bound for the tcb's last thread. */
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		bytes_zero(tcb->level[i].internal, sizeof(tcb->level[i].internal));
	tcb->thread = *thread;
	return place->block + at - gate;
}

void resident_shared_gate(const struct resident_layout *l,
			  const struct resident_place *place,
			  struct resident_gate *gate)
{
	*gate = (struct resident_gate){
		.enter = place->text + text()->inert,
		.sites = place->block + l->sites_at,
	};
}

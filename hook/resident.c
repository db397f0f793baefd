/* SPDX-License-Identifier: MIT */
#include "hook/resident.h"
#include "hook/trampoline.h"
#include "vm/base/bytes.h"

#define SITE_BYTES sizeof(struct resident_site)

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
	       c->ntcbs <= RESIDENT_TCBS_MAX && c->nmodules <= RESIDENT_MODULES_MAX;
}

uint64_t resident_cache_bytes(uint32_t nsites)
{
	/* Whole parts: they are forgotten as such. */
	uint64_t n = align_up(nsites, RESIDENT_CACHE_PART);

	return align_up(sizeof(struct resident_count_cache) +
				n * sizeof(struct resident_cached),
			RESIDENT_PAGE);
}

/* The table that begins at *at; the next one begins on another page. */
static uint64_t table(uint64_t *at, uint32_t n, size_t size)
{
	uint64_t begin = *at;

	*at = align_up(begin + n * (uint64_t)size, RESIDENT_PAGE);
	return begin;
}

uint64_t resident_lay_out(struct resident_layout *l, const struct resident_config *c)
{
	uint64_t at = RESIDENT_PAGE;

	if (!is_config_sane(c))
		return 0;
	*l = (struct resident_layout){.config = *c};
	l->sites_at = table(&at, c->nsites, sizeof(struct resident_site));
	l->hits_at = table(&at, c->nhits, sizeof(struct resident_hit));
	l->spots_at = table(&at, c->nsites, sizeof(struct native_spot));
	l->lights_at = table(&at, c->nsites, sizeof(uint64_t));
	l->ranges_at = table(&at, c->nranges, sizeof(struct resident_range));
	l->shadows_at = table(&at, c->nshadows, sizeof(struct resident_shadow));
	l->modules_at = table(&at, c->nmodules, sizeof(struct cfi_module));
	l->tcbs_at = table(&at, c->ntcbs, sizeof(struct resident_tcb));
	l->bytes = at;
	return l->bytes;
}

static struct resident_extent extent(uint64_t at, uint32_t n, size_t size)
{
	return (struct resident_extent){at,
					align_up(n * (uint64_t)size, RESIDENT_PAGE)};
}

struct resident_extent resident_extent(const struct resident_layout *l,
				       enum resident_part part,
				       const struct resident_config *there)
{
	size_t shadow = sizeof(struct resident_shadow);
	uint64_t half = l->config.nshadows / 2 * (uint64_t)shadow;

	switch (part) {
	case RESIDENT_SITES:
		return extent(0, 1, RESIDENT_PAGE + there->nsites * SITE_BYTES);
	case RESIDENT_HITS:
		return extent(l->hits_at, there->nhits, sizeof(struct resident_hit));
	case RESIDENT_SPOTS:
		return extent(l->spots_at, there->nsites, sizeof(struct native_spot));
	case RESIDENT_LIGHTS:
		return extent(l->lights_at, there->nsites, sizeof(uint64_t));
	case RESIDENT_RANGES:
		return extent(l->ranges_at, there->nranges,
			      sizeof(struct resident_range));
	case RESIDENT_SHADOWS:
		return extent(l->shadows_at, there->nshadows / 2, shadow);
	case RESIDENT_SHADOWS_LATER:
		return extent(l->shadows_at + half, there->nshadows / 2, shadow);
	case RESIDENT_MODULES:
		return extent(l->modules_at, there->nmodules,
			      sizeof(struct cfi_module));
	case RESIDENT_TCBS:
	case RESIDENT_PARTS:
		break;
	}
	return extent(l->tcbs_at, there->ntcbs, sizeof(struct resident_tcb));
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

uint64_t resident_register(const struct resident_view *v,
			   const struct resident_place *place, uint32_t index,
			   const struct resident_thread *thread, bool is_inert)
{
	const struct resident_layout *l = &v->layout;
	uint64_t at = l->tcbs_at + index * (uint64_t)RESIDENT_TCB_BYTES;
	struct resident_tcb *tcb;

	if (index >= l->config.ntcbs)
		return 0;
	tcb = resident_tcb_at(v, index);
	/* cache_sum is 0: what the slots' last owner cached is forgotten. */
	tcb->gate = (struct resident_gate){
		.enter = place->text + (is_inert ? text()->inert : text()->enter),
		.self = place->block + at,
		.sites = place->block + l->sites_at,
		.cache = is_inert ? 0 : thread->cache,
		.state = place->state,
		.idle = 1,
		.lights = place->block + l->lights_at,
	};
	tcb->at = at;
	/* What was bound for the tcb's last thread. */
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		bytes_zero(tcb->level[i].internal, sizeof(tcb->level[i].internal));
	tcb->thread = *thread;
	return place->block + at;
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

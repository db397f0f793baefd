/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/block_view.h"
#include "tracer/keeper/os/memory_file.h"
#include "vm/base/host/joined_map.h"

#include <sys/mman.h>
#include <unistd.h>

static bool map_view(struct block_view *v, const struct state *home)
{
	struct joined_file files[STATE_REGIONS];

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(home, (enum state_region)i);

		files[i] = (struct joined_file){v->files[i], r.at, r.size,
						i == STATE_CONTROL};
		v->bytes = r.at + r.size;
	}
	v->state = joined_map(files, STATE_REGIONS);
	return v->state != NULL;
}

/* The target can change neither the size of the files nor what the layout says. */
static bool seal(const struct block_view *v)
{
	return memory_file_seal_data(v->files[STATE_LAYOUT]) &&
	       memory_file_seal(v->files[STATE_EXCHANGE]);
}

int block_view_make(struct keeper_program *p, struct block_view *v)
{
	static const char *const names[] = {"fpid-layout", "fpid-exchange"};

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(p->state, (enum state_region)i);

		v->files[i] = i <= STATE_EXCHANGE ? memory_file_new(names[i], r.size)
						  : p->files[i];
	}
	v->state = NULL;
	if (v->files[STATE_LAYOUT] < 0 || v->files[STATE_EXCHANGE] < 0 ||
	    !map_view(v, p->state)) {
		block_view_release(v);
		return STATUS_IO;
	}
	state_init_exchange(v->state, p->state, ++p->nexchanges);
	if (seal(v))
		return 0;
	block_view_release(v);
	return STATUS_IO;
}

void block_view_close(struct block_view *v)
{
	for (int i = STATE_LAYOUT; i <= STATE_EXCHANGE; i++) {
		if (v->files[i] >= 0)
			close(v->files[i]);
		v->files[i] = -1;
	}
}

void block_view_release(struct block_view *v)
{
	if (v->state)
		munmap(v->state, v->bytes);
	v->state = NULL;
	block_view_close(v);
}

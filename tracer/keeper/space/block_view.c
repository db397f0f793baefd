/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/block_view.h"
#include "tracer/keeper/os/faults.h"
#include "vm/base/host/joined_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int new_file(const char *name, uint64_t n)
{
	int fd = faults_due(FAULTS_FILE, SYS_memfd_create)
			 ? -1
			 : memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, (off_t)n) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

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
	return fcntl(v->files[STATE_LAYOUT], F_ADD_SEALS,
		     F_SEAL_FUTURE_WRITE | SEALS) == 0 &&
	       fcntl(v->files[STATE_EXCHANGE], F_ADD_SEALS, SEALS) == 0;
}

int block_view_make(struct keeper_program *p, struct block_view *v)
{
	static const char *const names[] = {"fpid-layout", "fpid-exchange"};

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(p->state, (enum state_region)i);

		v->files[i] =
			i <= STATE_EXCHANGE ? new_file(names[i], r.size) : p->files[i];
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

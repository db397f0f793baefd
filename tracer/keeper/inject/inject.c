/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/inject.h"
#include "tracer/keeper/os/owner_watch.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/memory_file.h"
#include "tracer/keeper/inject/growth.h"
#include "tracer/keeper/inject/pass_files.h"
#include "tracer/keeper/inject/pieces.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/os/vdso.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/native.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INERT_TCBS    1024u /* more than there are pairs of slots */
#define SITES_OF_PAIR 128u  /* at least, in a block that is not the largest */
#ifdef DTRACE_SMALL_LIMITS
#define SITES_MAX 16384u
#define SITES_MIN 8192u
#define MODULES	  512u
#else
#define SITES_MAX RESIDENT_SITES_MAX /* pages that are never touched cost nothing */
#define SITES_MIN 1024u
#define MODULES	  RESIDENT_MODULES_MAX /* in all lists: a change makes a new one */
#endif
#define RW	(PROT_READ | PROT_WRITE)
#define TRIES	4
#define ROOM_AT 2048 /* in the gate page */

static struct space *space_of(const struct injection *in)
{
	return in->process->space;
}

/* In the gate page: for pass_files(). */
static taddr room_of(const struct injection *in)
{
	return taddr_add(space_of(in)->detours->gate, ROOM_AT);
}

static int call(const struct injection *in, long nr, const uint64_t args[6],
		uint64_t *result)
{
	return remote_call_do(in->remote, nr, args, result);
}

int inject_map_at(const struct injection *in, taddr at, uint64_t n)
{
	int status = remote_call_map(in->remote, at, n);

	if (!status)
		inject_note_mapping(in, at, n);
	return status;
}

static int make_writable(const struct injection *in, taddr at, uint64_t n)
{
	const uint64_t args[6] = {at.v, n, RW};
	uint64_t got;

	return call(in, SYS_mprotect, args, &got);
}

static int map_text(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;
	uint64_t n = detours_text()->gate + RESIDENT_PAGE;
	int status = STATUS_FULL;

	for (int i = 0; status < 0 && status != STATUS_GONE && i < TRIES; i++) {
		taddr at = taddr_of(inject_far(in, n));

		status = at.v ? inject_map_at(in, at, n) : STATUS_FULL;
		if (!status)
			d->place.text = at.v;
	}
	if (status < 0)
		return status;
	d->gate = taddr_of(d->place.text + detours_text()->gate);
	status = make_writable(in, d->gate, RESIDENT_PAGE);
	if (!status)
		status = mem_write(space_of(in)->mem, taddr_of(d->place.text),
				   resident_bin, detours_text()->bytes);
	return status;
}

static int map_file(const struct injection *in, int fd, uint64_t n, int prot,
		    uint64_t *at)
{
	const uint64_t args[6] = {inject_far(in, n), n, (uint64_t)prot, MAP_SHARED,
				  (uint64_t)fd,	     0};
	int status = call(in, SYS_mmap, args, at);

	if (!status)
		inject_note_mapping(in, taddr_of(*at), n);
	return status;
}

/* The same over what is mapped there. */
static int map_over(const struct injection *in, int fd, uint64_t n, int prot,
		    uint64_t at)
{
	const uint64_t args[6] = {
		at, n, (uint64_t)prot, MAP_SHARED | MAP_FIXED, (uint64_t)fd, 0};
	uint64_t got;

	return call(in, SYS_mmap, args, &got);
}

/*
 * Maps n bytes of our file, to be read, and closes it; negative: it was not made.
 * is_over: in the place of an earlier one of that size, at *at.
 */
static int map_ours(const struct injection *in, int file, uint64_t n, bool is_over,
		    uint64_t *at)
{
	int there, status;

	if (file < 0)
		return STATUS_IO;
	status = pass_files(in, room_of(in), &file, 1, &there);
	close(file);
	if (status < 0)
		return status;
	status = is_over ? map_over(in, there, n, PROT_READ, *at)
			 : map_file(in, there, n, PROT_READ, at);
	pass_files_close(in, there);
	return status;
}

/* The file, which no process can change any more, or negative. */
static int seal_data(int fd)
{
	if (memory_file_seal_data(fd))
		return fd;
	close(fd);
	return -1;
}

/* A new file of n bytes, mapped for us at this address. */
static int part_file(const char *name, char *at, uint64_t n)
{
	int fd = memory_file_new(name, n);

	if (fd >= 0 && mmap(at, n, RW, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
		close(fd);
		return -1;
	}
	return fd;
}

static void close_files(int *files, int n)
{
	for (int i = 0; i < n; i++) {
		if (files[i] >= 0)
			close(files[i]);
		files[i] = -1;
	}
}

/*
 * Our mapping of a new resident block, and its two files. The target can map the tables
 * only to read them; we mapped them before.
 */
static int new_block(struct detours *d, const struct resident_config *c, int files[2])
{
	struct resident_view v = {0};
	uint64_t n = resident_lay_out(&v.layout, c);
	uint64_t tables = v.layout.tcbs_at;
	char *p = n ? mmap(NULL, n + OWNER_WATCH_ROOM, RW,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
		    : MAP_FAILED;

	if (p == MAP_FAILED)
		return n ? STATUS_NOMEM : STATUS_IO;
	v.block = (void *)(p + OWNER_WATCH_ROOM);
	files[0] = part_file("fpid-tables", resident_at(&v, 0), tables);
	files[1] = part_file("fpid-threads", resident_at(&v, tables), n - tables);
	if (files[0] < 0 || files[1] < 0 || !memory_file_seal_data(files[0]) ||
	    !memory_file_seal(files[1])) {
		munmap(p, n + OWNER_WATCH_ROOM);
		close_files(files, 2);
		return STATUS_IO;
	}
	resident_block_init(v.block, &v.layout);
	d->view = v;
	return 0;
}

static int map_block(const struct injection *in, const int there[2])
{
	struct detours *d = space_of(in)->detours;
	const struct resident_layout *l = &d->view.layout;
	int status = 0;

	for (uint32_t i = 0; i < RESIDENT_PARTS && !status; i++) {
		struct resident_extent e =
			resident_extent(l, (enum resident_part)i, &d->view.there);
		bool is_tcbs = i == RESIDENT_TCBS;
		const struct piece_source part = {
			.fd = there[is_tcbs],
			.prot = is_tcbs ? RW : PROT_READ,
			.at = d->place.block + e.at,
			.offset = is_tcbs ? 0 : e.at,
			.n = e.bytes,
		};

		status = piece_map(in, i, &part);
	}
	return status;
}

/* A call on the region variables of the process; args[0] and args[1] are set here. */
static int call_on_variables(const struct injection *in, long nr, uint64_t args[6])
{
	struct state_range r = state_region(in->program->state, STATE_VARIABLES);
	uint64_t got;

	args[0] = space_of(in)->detours->place.state + r.at;
	args[1] = r.size;
	return call(in, nr, args, &got);
}

/* Empty memory of its own takes their place. */
static int replace_variables(const struct injection *in, int prot)
{
	uint64_t args[6] = {0,
			    0,
			    (uint64_t)prot,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
			    UINT64_MAX,
			    0};

	return call_on_variables(in, SYS_mmap, args);
}

int inject_drop_variables(const struct injection *in)
{
	return replace_variables(in, RW);
}

/* A fork child has none, even if its memory cannot be cleaned. */
static int keep_from_children(const struct injection *in)
{
	uint64_t args[6] = {0, 0, MADV_DONTFORK};

	return call_on_variables(in, SYS_madvise, args);
}

/* A region of the state block that does not grow. */
static int map_region(const struct injection *in, enum state_region which, int there)
{
	struct detours *d = space_of(in)->detours;
	struct state_range r = state_region(in->program->state, which);
	const uint64_t args[6] = {d->place.state + r.at,
				  r.size,
				  (uint64_t)(which == STATE_VARIABLES ? RW : PROT_READ),
				  MAP_SHARED | MAP_FIXED_NOREPLACE,
				  (uint64_t)there,
				  0};
	uint64_t got;
	int status = call(in, SYS_mmap, args, &got);

	if (!status)
		inject_note_mapping(in, taddr_of(got), r.size);
	return status || got == args[0] ? status : STATUS_FULL;
}

/* The slots and chunks that a process of so many threads begins with. */
static int map_exchange(const struct injection *in, int there)
{
	struct detours *d = space_of(in)->detours;
	struct state *s = d->state.state;
	uint32_t n = in->process->ntasks, pairs = growth_first_pairs(s, n);
	uint32_t chunks = growth_first_chunks(s, n);
	struct state_range r[] = {state_slots(s, resident_slot(pairs, 0)),
				  state_pool(s, chunks)};
	int status = 0;

	for (uint32_t i = 0; i < ARRAY_LEN(r) && !status; i++) {
		const struct piece_source piece = {
			there, RW, d->place.state + r[i].at,
			r[i].at - state_region(s, STATE_EXCHANGE).at, r[i].size};

		status = piece_map(in, DETOURS_SLOTS + i, &piece);
	}
	if (status)
		return status;
	thread_pairs_init(&d->pairs, s);
	d->pairs.n = pairs;
	growth_open_chunks(in, chunks);
	return piece_map_caches(in, 0, pairs, d->view.there.nsites);
}

/* The target writes to its exchange and to D variables, if the program has any. */
static int map_state(const struct injection *in, const int there[STATE_REGIONS])
{
	int status = map_region(in, STATE_LAYOUT, there[STATE_LAYOUT]);

	if (!status)
		status = map_exchange(in, there[STATE_EXCHANGE]);
	if (!status)
		status = map_region(in, STATE_CONTROL, there[STATE_CONTROL]);
	if (status || !in->program->has_variables)
		return status;
	status = map_region(in, STATE_VARIABLES, there[STATE_VARIABLES]);
	return status ? status : keep_from_children(in);
}

/*
 * Where block and state will be: free addresses, for all that they may grow to. A core
 * dump leaves out what there is of them.
 */
static int map_growing(const struct injection *in, const int *state, const int *block)
{
	struct detours *d = space_of(in)->detours;
	uint64_t n = d->view.layout.bytes + RESIDENT_PAGE;
	uint64_t all = n + in->program->state_bytes;
	uint64_t args[6] = {inject_growing(in, all), all, MADV_DONTDUMP}, got;
	int status = args[0] ? 0 : STATUS_NOMEM;

	d->place.block = args[0];
	d->place.state = args[0] + n;
	if (!status)
		status = map_block(in, block);
	if (!status)
		status = map_state(in, state);
	/* It says that there are gaps, and has done the rest. */
	if (!status && call(in, SYS_madvise, args, &got) == STATUS_GONE)
		status = STATUS_GONE;
	return status;
}

/* files: of the state block, of the program, two of the resident block. */
static int map_regions(const struct injection *in, const int *files, uint64_t bytes)
{
	struct detours *d = space_of(in)->detours;
	int there[PASS_FILES_MAX];
	int status = pass_files(in, room_of(in), files, PASS_FILES_MAX, there);

	if (status < 0)
		return status;
	status = map_growing(in, there, there + STATE_REGIONS + 1);
	if (!status)
		status = map_file(in, there[STATE_REGIONS], bytes, PROT_READ,
				  &d->program.v);
	for (int i = 0; i < PASS_FILES_MAX; i++)
		pass_files_close(in, there[i]);
	return status;
}

static void use_program(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;

	d->program_version = in->program->version;
	atomic_store(&d->view.block->program, d->program.v);
	atomic_fetch_add_explicit(&d->view.block->generation, 1, memory_order_release);
}

static int fill_block(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;
	struct resident_block *b = d->view.block;
	struct procfs_maps maps = {0};
	struct procfs_status st;
	struct resident_gate gate;

	if (procfs_status(in->remote->tid, &st) < 0 ||
	    procfs_maps(in->remote->tid, &maps) < 0)
		return STATUS_GONE;
	b->state = d->place.state;
	b->clock = vdso_clock(&maps, space_of(in)->mem).v;
	b->has_tsc = b->clock && vdso_is_tsc();
	b->has_rdpid = native_has_rdpid();
	b->ahead = procfs_clock_ahead(in->remote->tid);
	procfs_maps_release(&maps);
	b->user_end = NEAR_USER_END;
	b->pid = (uint32_t)in->process->pid;
	b->uid = st.uid;
	b->gid = st.gid;
	owner_watch_tie(&b->keeper);
	undo_log_note_trap(&space_of(in)->undo_log,
			   d->place.text + detours_text()->leave_trap);
	use_program(in);
	resident_shared_gate(&d->view.layout, &d->place, &gate);
	return mem_write(space_of(in)->mem, d->gate, &gate, sizeof(gate));
}

/* A block with room for so many sites; a small one has room for fewer threads. */
static struct resident_config config_for(const struct injection *in, uint32_t nsites)
{
	uint32_t pairs = (state_nslots(in->program->state) - STATE_SLOT_FIRST_THREAD) /
			 RESIDENT_LEVELS;
	uint32_t inert = INERT_TCBS;

	if (nsites < SITES_MAX) {
		pairs = min_u32(pairs, nsites / SITES_OF_PAIR);
		inert = min_u32(inert, nsites / SITES_OF_PAIR);
	}
	return (struct resident_config){
		.nsites = nsites,
		.nhits = 2 * nsites,
		.nranges = (uint32_t)min_u64(nsites, RESIDENT_RANGES_MAX),
		.nshadows = 4 * nsites, /* two lists of all that is covered */
		.ntcbs = min_u32(pairs + inert, RESIDENT_TCBS_MAX),
		.nmodules = (uint32_t)min_u64(nsites, MODULES),
	};
}

/* What the process needs at first. */
static uint64_t first_bytes(const struct injection *in)
{
	const struct detours *d = space_of(in)->detours;
	const struct state *s = d->state.state;
	uint32_t n = in->process->ntasks, pairs = growth_first_pairs(s, n);
	uint64_t bytes = state_slots(s, resident_slot(pairs, 0)).size +
			 state_pool(s, growth_first_chunks(s, n)).size +
			 state_region(s, STATE_CONTROL).size +
			 pairs * resident_cache_bytes(d->view.there.nsites);

	if (in->program->has_variables)
		bytes += state_region(s, STATE_VARIABLES).size;
	for (uint32_t i = 0; i < RESIDENT_PARTS; i++)
		bytes += resident_extent(&d->view.layout, (enum resident_part)i,
					 &d->view.there)
				 .bytes;
	return bytes;
}

/*
 * The largest block that we can map as well. STATUS_NOMEM: there is none, or its
 * beginning would not leave the process half of what it may map.
 */
static int new_fitting_block(const struct injection *in, int files[2])
{
	struct detours *d = space_of(in)->detours;
	int status = STATUS_NOMEM;

	for (uint32_t n = SITES_MAX; status && n >= SITES_MIN; n /= 4) {
		struct resident_config c = config_for(in, n);

		status = new_block(d, &c, files);
	}
	if (status)
		return STATUS_NOMEM;
	d->view.there = growth_first(&d->view.layout.config, in->process->ntasks);
	d->site_numbers.max = d->view.there.nsites;
	d->lists.max = d->view.there.nhits;
	d->ranges.max = d->view.there.nranges;
	if (first_bytes(in) <= growth_room(in) / 2)
		return 0;
	close_files(files, 2);
	return STATUS_NOMEM;
}

/* Maps the machine code of clauses; 0: there is none, and they are interpreted. */
static uint64_t map_code(const struct injection *in)
{
	const struct native_code *code = &in->program->native;
	struct clause_code *there = &space_of(in)->detours->code;
	uint64_t n = align_up(code->n, RESIDENT_PAGE);
	taddr at = taddr_of(code->bytes ? inject_far(in, n) : 0);

	if (!at.v || inject_map_at(in, at, n) < 0 ||
	    mem_write(space_of(in)->mem, at, code->bytes, code->n) < 0) {
		clause_code_leave(there);
		return 0;
	}
	clause_code_add(there, at, code);
	return at.v;
}

static int map_shared(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;
	int files[PASS_FILES_MAX], *program = files + STATE_REGIONS,
				   *block = program + 1;
	uint64_t bytes = 0;
	int status = block_view_make(in->program, &d->state);

	memcpy(files, d->state.files, sizeof(d->state.files));
	*program = block[0] = block[1] = -1;
	if (!status)
		status = new_fitting_block(in, block);
	if (!status)
		*program = keeper_program_file(in->program, map_code(in), &bytes);
	if (!status)
		status = *program < 0 ? STATUS_IO : map_regions(in, files, bytes);
	close_files(program, PASS_FILES_MAX - STATE_REGIONS);
	if (status)
		return status;
	return fill_block(in);
}

/* Unmaps what was mapped: the newest mappings of the space are exactly that. */
static void undo(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;
	struct space_mapping m;

	for (size_t n = d->mappings.len; n; n--)
		if (space_pop_mapping(space_of(in), &m))
			remote_call_unmap(in->remote, m.lo, m.size);
	detours_free(d);
	space_of(in)->detours = detours_new();
}

int inject_install(const struct injection *in)
{
	int status = STATUS_UNSUP;

	if (in->program->version && state_nslots(in->program->state) >=
					    STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS)
		status = map_text(in);
	if (!status)
		status = map_shared(in);
	if (status < 0)
		undo(in);
	else
		space_of(in)->detours->is_installed = true;
	return status;
}

int inject_program(const struct injection *in)
{
	struct detours *d = space_of(in)->detours;
	uint64_t bytes = 0;
	int file, status;

	if (d->program_version == in->program->version)
		return 0;
	/* The old region stays until the end: a thread may be in the middle of it. */
	file = keeper_program_file(in->program, map_code(in), &bytes);
	status = map_ours(in, file, bytes, false, &d->program.v);
	if (!status) {
		use_program(in);
		detours_find_lights(d, in->program);
	}
	return status;
}

/*
 * A sealed file of all rows that are not in the process, at the beginning of so many
 * bytes; or negative.
 */
static int rows_file(const struct stacks *s, uint64_t bytes)
{
	uint64_t used = stacks_missing(s);
	int fd = memory_file_new("fpid-rows", bytes);
	void *to = MAP_FAILED;

	if (fd >= 0)
		to = mmap(NULL, used, RW, MAP_SHARED, fd, 0);
	if (to == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	stacks_copy_missing(s, to);
	munmap(to, used);
	return seal_data(fd);
}

/* Maps the missing rows, where others were if these have gone. */
static int map_rows(const struct injection *in, struct stacks *s)
{
	uint64_t at, bytes = stacks_missing(s);
	bool is_over = stacks_take_area(s, &at, &bytes);
	int status = map_ours(in, rows_file(s, bytes), bytes, is_over, &at);

	if (!status)
		stacks_note_there(s, at, bytes);
	return status;
}

int inject_rows(const struct injection *in)
{
	struct stacks *s = space_of(in)->stacks;
	int status = 0;

	if (!s)
		return 0;
	if (stacks_missing(s))
		status = map_rows(in, s);
	growth_modules(in);
	stacks_publish(s, &space_of(in)->detours->view);
	return status;
}

static int place_field(const struct injection *in, struct addr_range near, uint64_t n,
		       taddr *at)
{
	int status = STATUS_FULL;

	for (int i = 0; status < 0 && status != STATUS_GONE && i < TRIES; i++) {
		status = i ? near_alloc_renew(in->now, in->remote->tid) : 0;
		if (!status)
			status = near_search(&in->now->space, near, n, at);
		if (!status)
			status = inject_map_at(in, *at, n);
	}
	if (!status)
		near_alloc_add(in->now,
			       (struct addr_range){*at, taddr_add(*at, (int64_t)n)});
	return status;
}

/*
 *	| stubs | copies of sites that are demoted | switch words |
 */
int inject_field(const struct injection *in, struct addr_range near, uint32_t n)
{
	struct space *s = space_of(in);
	uint64_t stubs = n * (uint64_t)STUB_MAX;
	uint64_t copies = n * (uint64_t)align_up(STEP_SLOT_MAX, 16);
	uint64_t words =
		align_up((n + HOOK_SITES_MAX) * sizeof(uint64_t), RESIDENT_PAGE);
	uint64_t code = align_up(stubs + copies, RESIDENT_PAGE);
	struct detour_field f = {.size = code + words, .stubs_max = stubs};
	taddr at;
	int status = place_field(in, near, code + words, &at);

	if (!status)
		status = make_writable(in, taddr_of(at.v + code), words);
	if (status < 0)
		return status;
	f.lo = f.stubs_end = at;
	f.switches = taddr_of(at.v + code);
	f.switches_max = (uint32_t)(words / sizeof(uint64_t));
	*vec_push(&s->detours->fields) = f;
	xol_add_area(&s->xol, taddr_add(at, (int64_t)stubs), code - stubs);
	return 0;
}

int inject_xol_area(struct remote_call *r, struct space *s, struct addr_range near,
		    uint64_t size)
{
	struct procfs_maps maps = {0};
	taddr at = {0};
	int status = procfs_maps(r->tid, &maps);

	size = align_up(size, RESIDENT_PAGE);
	if (!status)
		at = near_alloc_gap(&maps, near, XOL_REACH, size);
	procfs_maps_release(&maps);
	if (!status && !at.v)
		return STATUS_FULL;
	if (!status)
		status = remote_call_map(r, at, size);
	if (status < 0)
		return status == STATUS_IO ? STATUS_FULL : status;
	xol_add_area(&s->xol, at, size);
	space_add_mapping(s, at, size);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Makes the home block, with the sizes that the options set.
 */
#include "hook/resident.h"
#include "tracer/output/python_names.h"
#include "tracer/records/sources.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/trace.h"
#include "vm/base/host/joined_map.h"
#include "vm/base/host/strbuf.h"
#include "vm/vm.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define THREADS_MAX 8192  /* threads at a time in which clauses of fpid can run */
#define METERS	    4096  /* probes whose cost is measured in a thread */
#define LEAST_SIZE  65536 /* no size is lowered further */

/* A buffer below it is refused, and its size is a multiple of the other. */
#define LEAST_BUFFER 16
#define BUFFER_UNIT  8

/* Whether clauses of the specifier may run inside a target. */
static bool takes_jumps(const struct tracer *t, const struct trace_spec *spec)
{
	for (size_t i = 0; i < t->nproviders; i++) {
		const struct provider *p = t->providers[i];

		if (p->takes_jumps && p->names_process(p, spec->field[0]))
			return true;
	}
	return false;
}

/* Whether clauses may run inside a target: then each of its threads needs slots. */
static bool wants_resident(const struct tracer *t)
{
	for (size_t i = 0; i < t->specs.len; i++)
		if (takes_jumps(t, &t->specs.data[i]))
			return true;
	return false;
}

/* ---- whether records fit ---- */

/*
 * Refuses a program that records if no record at all fits. One that is larger than the
 * buffer is dropped when its clause runs.
 */
static int check_bufsize(const struct tracer *t, struct err *e)
{
	if (t->options.bufsize >= LEAST_BUFFER)
		return 0;
	for (uint32_t i = 0; i < program_count(t->image, SECTION_CLAUSE); i++)
		if (program_clause(t->image, i)->nominal)
			return err_set(e, STATUS_NOMEM,
				       "Enabling exceeds size of buffer");
	return 0;
}

/* With the fill policy, records of END have room of their own. */
static int reserve_for_end(const struct tracer *t, uint64_t *reserve, struct err *e)
{
	const struct probe *end = probes_get(&t->probes, PROBE_END);

	*reserve = 0;
	if (t->options.bufpolicy != BUFPOLICY_FILL)
		return 0;
	for (size_t i = 0; i < end->nenablings; i++)
		*reserve += program_clause(t->image, probe_enablings(end)[i].clause)
				    ->nominal;
	if (*reserve > align_down(t->options.bufsize, BUFFER_UNIT))
		return err_set(e, STATUS_NOMEM,
			       "END enablings exceed size of principal buffer");
	return 0;
}

/* ---- sizes that cannot be allocated ---- */

/* The size of an option, which may be lowered. */
struct adjustable {
	const char *what;
	uint64_t *size, asked;
	bool is_default; /* nobody asked for it: it is lowered with a notice only */
};

#define ADJUSTABLES 4

static struct adjustable adjustable_of(const char *what, uint64_t *size, uint64_t usual)
{
	return (struct adjustable){what, size, *size, *size == usual};
}

static void list_sizes(struct options *o, struct adjustable all[ADJUSTABLES])
{
	struct options usual;

	options_init(&usual);
	all[0] = adjustable_of("buffer", &o->bufsize, usual.bufsize);
	all[1] = adjustable_of("aggregation", &o->aggsize, usual.aggsize);
	all[2] = adjustable_of("speculation", &o->specsize, usual.specsize);
	all[3] = adjustable_of("dynamic variable", &o->dynvarsize, usual.dynvarsize);
	options_release(&usual);
}

/* Halves the largest; false if that is too small already. */
static bool lower(struct adjustable all[ADJUSTABLES])
{
	uint64_t *largest = all[0].size;

	for (int i = 1; i < ADJUSTABLES; i++)
		if (*all[i].size > *largest)
			largest = all[i].size;
	*largest /= 2;
	return *largest >= LEAST_SIZE;
}

static void report_lowered(const struct tracer *t,
			   const struct adjustable all[ADJUSTABLES])
{
	static const char *const units[] = {" bytes", "k", "m", "g", "t"};

	for (int i = 0; i < ADJUSTABLES; i++) {
		uint64_t n = *all[i].size;
		int unit = 0;

		if (n == all[i].asked || t->options.quietresize)
			continue;
		for (; unit < 4 && n % 1024 == 0; unit++)
			n /= 1024;
		if (all[i].is_default)
			out_notice(t->out, "%s size lowered to %" PRIu64 "%s",
				   all[i].what, n, units[unit]);
		else
			out_message(t->out, "%s size lowered to %" PRIu64 "%s",
				    all[i].what, n, units[unit]);
	}
}

/* The sizes asked for could not be had: what was needed, and a limit that says no. */
struct shortage {
	uint64_t bytes;
	const char *limit; /* NULL: none is known */
	uint64_t limit_bytes;
};

static struct shortage find_shortage(uint64_t bytes, int error)
{
	const struct {
		int error;
		int resource;
		const char *name;
	} limits[] = {
		{ENOMEM, RLIMIT_AS, "addresses (ulimit -v)"},
		{EFBIG, RLIMIT_FSIZE, "file sizes (ulimit -f)"},
	};
	struct shortage s = {.bytes = bytes};
	struct rlimit r;

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (error == limits[i].error &&
		    getrlimit((__rlimit_resource_t)limits[i].resource, &r) == 0 &&
		    r.rlim_cur != RLIM_INFINITY) {
			s.limit = limits[i].name;
			s.limit_bytes = r.rlim_cur;
		}
	return s;
}

static int refuse_sizes(const struct shortage *s, struct err *e)
{
	if (s->limit)
		return err_set(e, STATUS_NOMEM,
			       "the buffers need %" PRIu64 " kB, and the limit of %s "
			       "is %" PRIu64 " kB: raise it",
			       s->bytes >> 10, s->limit, s->limit_bytes >> 10);
	return err_set(e, STATUS_NOMEM,
		       "cannot allocate buffers of these sizes: lower "
		       "bufsize, aggsize, dynvarsize or specsize");
}

static int refuse_manual(const struct state_config *c, const struct shortage *s,
			 struct err *e)
{
	uint64_t most = state_dynvarsize_max(c);

	if (c->dynvarsize > most)
		return err_set(e, STATUS_RANGE,
			       "dynvarsize must not exceed %" PRIu64
			       " bytes in this program",
			       most);
	return refuse_sizes(s, e);
}

void trace_release_buffers(struct tracer *t)
{
	if (t->state)
		munmap(t->state, t->state_size);
	t->state = NULL;
	for (int i = 0; i < STATE_REGIONS; i++) {
		if (t->state_files[i] >= 0)
			close(t->state_files[i]);
		t->state_files[i] = -1;
	}
}

/* A memory file for each region, mapped one after the other. */
static bool map_regions(struct tracer *t, const struct state *layout)
{
	struct joined_file files[STATE_REGIONS];

	for (int i = 0; i < STATE_REGIONS; i++) {
		struct state_range r = state_region(layout, (enum state_region)i);

		t->state_files[i] = i == STATE_CONTROL ? link_open_memfd(r.size)
						       : link_memfd(NULL, r.size);
		if (t->state_files[i] < 0)
			return false;
		files[i] = (struct joined_file){t->state_files[i], r.at, r.size, false};
	}
	t->state = joined_map(files, STATE_REGIONS);
	return t->state != NULL;
}

static int map_state(struct tracer *t, const struct state_config *c)
{
	_Alignas(STATE_LAYOUT_BYTES) unsigned char layout[STATE_LAYOUT_BYTES];
	struct state *s = (void *)layout;

	t->state_size = state_size(c);
	errno = 0; /* that of a failed call is for find_shortage() */
	if (t->state_size == 0 || state_init(s, t->state_size, c))
		return STATUS_NOMEM;
	if (!map_regions(t, s)) {
		int error = errno;

		trace_release_buffers(t);
		errno = error;
		return STATUS_NOMEM;
	}
	return state_init(t->state, t->state_size, c);
}

static void use_sizes(const struct tracer *t, struct state_config *c)
{
	c->bufsize = align_down(t->options.bufsize, BUFFER_UNIT);
	c->aggsize = t->options.aggsize;
	c->dynvarsize = t->options.dynvarsize;
	c->specsize = t->options.specsize;
}

/*
 * A limit of file sizes is no error as long as what one slot is promised fits: for most
 * programs the buffers are far larger than what they use. Threads share the rest.
 */
static int fit_files(struct state_config *c)
{
	uint32_t least = min_u32(c->nslots, STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS);
	struct rlimit r;

	if (getrlimit(RLIMIT_FSIZE, &r) < 0 || r.rlim_cur == RLIM_INFINITY)
		return 0;
	c->file_max = max_u64(r.rlim_cur, 1);
	c->nslots = min_u32(c->nslots, max_u32(state_nslots_max(c), least));
	return state_holds(c) ? 0 : STATUS_NOMEM;
}

/* After a failure errno says why, and t->state_size what was asked for. */
static int try_sizes(struct tracer *t, struct state_config *c, uint32_t nslots)
{
	use_sizes(t, c);
	c->nslots = nslots;
	c->file_max = 0;
	t->state_size = state_size(c);
	errno = EFBIG;
	return fit_files(c) ? STATUS_NOMEM : map_state(t, c);
}

static int make_state(struct tracer *t, struct state_config *c, struct err *e)
{
	struct adjustable sizes[ADJUSTABLES];
	struct shortage shortage = {0};
	uint32_t nslots = c->nslots;

	list_sizes(&t->options, sizes);
	while (try_sizes(t, c, nslots)) {
		if (errno == EMFILE || errno == ENFILE) /* no size would help */
			return err_errno(e, STATUS_NOMEM, "cannot make the buffers");
		if (!shortage.bytes)
			shortage = find_shortage(t->state_size, errno);
		if (t->options.bufresize == BUFRESIZE_MANUAL)
			return refuse_manual(c, &shortage, e);
		if (!lower(sizes))
			return refuse_sizes(&shortage, e);
	}
	report_lowered(t, sizes);
	if (shortage.limit && !t->options.quietresize)
		out_notice(t->out,
			   "the buffers asked for need %" PRIu64
			   " kB, and the limit of %s is %" PRIu64 " kB",
			   shortage.bytes >> 10, shortage.limit,
			   shortage.limit_bytes >> 10);
	t->sources = sources_new(t->state, t->image);
	return 0;
}

/* dtrace runs on the only CPU as well, so that its probes show that number. */
static int restrict_cpu(const struct tracer *t, struct state_config *c, struct err *e)
{
	uint64_t cpu = t->options.cpu;
	cpu_set_t only;

	if (cpu == OPTION_NO_CPU)
		return 0;
	if (cpu >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF))
		return err_set(e, STATUS_RANGE, "there is no CPU %" PRIu64, cpu);
	c->only_cpu = (uint32_t)cpu + 1;
	CPU_ZERO(&only);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &only);
	sched_setaffinity(0, sizeof(only), &only);
	return 0;
}

int trace_make_buffers(struct tracer *t, struct err *e)
{
	static const enum state_policy policies[] = {
		[BUFPOLICY_SWITCH] = STATE_SWITCH,
		[BUFPOLICY_FILL] = STATE_FILL,
		[BUFPOLICY_RING] = STATE_RING,
		[BUFPOLICY_WAIT] = STATE_WAIT,
	};
	const struct program_header *h = program_header(t->image);
	uint32_t threads = wants_resident(t) ? THREADS_MAX : 0;
	struct state_config config = {
		.nslots = resident_slot(threads, 0),
		.strsize = h->strsize,
		.globals = h->globals,
		.locals = h->locals,
		.naggs = program_count(t->image, SECTION_AGG),
		.record_growth = program_record_growth(t->image),
		.variable_growth = vm_shares_variables(t->image)
					   ? program_variable_growth(t->image)
					   : 1,
		.nspec = (uint32_t)t->options.nspec,
		.policy = policies[t->options.bufpolicy],
		.wait_ns = t->options.bufwait,
		.nmeters = t->options.overhead || t->options.budget ? METERS : 0,
	};
	int rc = check_bufsize(t, e);

	if (rc == 0)
		rc = reserve_for_end(t, &config.end_reserve, e);
	if (rc == 0)
		rc = restrict_cpu(t, &config, e);
	return rc ? rc : make_state(t, &config, e);
}

int trace_send_buffers(struct tracer *t, struct keeper_stop_cost *stop, struct err *e)
{
	struct keeper_msg reply = {0};
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_BLOCK,
			.block = {t->image_size, t->options.native == NATIVE_OFF,
				  (uint32_t)min_u64(t->options.dump, INT32_MAX)}},
		.nfds = 1 + STATE_REGIONS};
	int rc;

	if (t->link.fd < 0)
		return 0;
	req.fds[0] = link_memfd(t->image, t->image_size);
	for (int i = 0; i < STATE_REGIONS; i++)
		req.fds[1 + i] = t->state_files[i];
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make the program's image");
	rc = link_call(&t->link, &req, &reply, NULL, e);
	*stop = reply.block_reply.stop;
	close(req.fds[0]);
	return rc;
}

int trace_send_python(struct tracer *t, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_NAMES,
					   .memory = {.bytes = PYTHON_NAMES_MAX}},
				   .nfds = 1};
	int rc;

	t->wants_python = cfi_rows_python_is_wanted(t->image);
	if (!t->options.pystack || !cfi_rows_are_wanted(t->image))
		return 0;
	t->wants_python = true;
	if (t->link.fd < 0)
		return 0;
	req.fds[0] = link_open_memfd(PYTHON_NAMES_MAX);
	if (req.fds[0] < 0)
		return err_errno(e, STATUS_NOMEM, "cannot make room for names");
	rc = python_names_open(req.fds[0], &t->python_names, e);
	if (rc == 0)
		rc = link_call(&t->link, &req, NULL, NULL, e);
	close(req.fds[0]);
	return rc;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/events/rings.h"
#include "tracer/events/call_chain.h"
#include "tracer/events/mapping_event.h"
#include "tracer/events/ring_heap.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE	    4096
#define RING_LEAST  (16 * PAGE)
#define RAW_LEAST   4 /* bytes where there are none of a tracepoint */
#define NO_SOURCE   UINT32_MAX
#define NAMES_BYTES (64 * PAGE)
#define RECORD_MAX  65536 /* perf_event_header.size has 16 bits */
#define COMMON_TYPE                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |                   \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

struct ring {
	struct perf_event_mmap_page *page;
	uint64_t size; /* of the data, a power of two */
	int fd;	       /* of the event that the others of the processor write with */
	uint32_t cpu;
	/* Of names and forks, so that no flood of events takes their place. */
	bool is_names;
	bool has_record; /* record is the next one, not consumed */
	uint64_t next;	 /* where the one after it begins */
	struct ring_record record;
	unsigned char *copy;	/* of a record that wraps around the end */
	unsigned char *mapping; /* the event of record, if it is one of a mapping */
};

struct rings {
	struct rings_config config;
	pid_t *tids; /* -1: all */
	size_t ntids;
	bool follows;
	struct {
		struct ring *data;
		size_t len, cap;
	} list;
	struct {
		struct ring_fd {
			int fd;
			uint32_t source; /* NO_SOURCE: of names */
			bool is_counter; /* read(2) says how many events there were */
		} * data;
		size_t len, cap;
	} fds;		    /* of all events */
	struct map sources; /* the kernel's id of an event -> its source */
	uint32_t nsources;
	uint32_t mappings; /* the source of mapping_event.h; NO_SOURCE: none */
	int epoll;
	struct ring_heap order; /* of the rings with a record */
	struct ring *current;	/* the first of them, if its record was returned last */
	uint64_t limit;		/* of the call that has looked into empty rings */
	bool has_looked;
	uint64_t seen; /* events, read or reported lost */
};

/* ---- opening ---- */

static uint64_t ring_bytes(uint64_t wanted)
{
	uint64_t n = RING_LEAST;

	while (n < wanted && n < UINT64_C(1) << 30)
		n *= 2;
	return n;
}

static struct perf_event_attr attributes(const struct rings *r)
{
	struct perf_event_attr a = {
		.size = sizeof(a),
		.sample_type = COMMON_TYPE | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = !r->config.wakes_at_once,
		.inherit = r->ntids > 0,
		.inherit_thread = r->ntids > 0 && !r->follows,
	};

	if (a.watermark)
		a.wakeup_watermark = (uint32_t)(ring_bytes(r->config.bytes) / 4);
	else
		a.wakeup_events = 1;
	if (r->config.wants_stacks)
		a.sample_type |= PERF_SAMPLE_CALLCHAIN;
	return a;
}

static int open_event(struct perf_event_attr *a, pid_t tid, uint32_t cpu)
{
	return (int)syscall(SYS_perf_event_open, a, tid, (int)cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int refuse(struct err *e)
{
	if (errno == EACCES || errno == EPERM)
		return err_set(
			e, STATUS_PERM,
			"the kernel's events are for root (CAP_PERFMON), or with "
			"kernel.perf_event_paranoid at -1 and a readable "
			"/sys/kernel/tracing");
	if (errno == EMFILE)
		return err_set(e, STATUS_LIMIT,
			       "too many events: each needs a file descriptor on each "
			       "processor; name fewer, or raise 'ulimit -n'");
	return err_errno(e, STATUS_UNSUP, "cannot observe the kernel's events");
}

/* Less than asked for if the kernel does not lock so much memory for this user. */
static int map_ring(struct ring *ring, uint64_t bytes)
{
	for (uint64_t n = ring_bytes(bytes); n >= RING_LEAST; n /= 2) {
		void *p = mmap(NULL, PAGE + n, PROT_READ | PROT_WRITE, MAP_SHARED,
			       ring->fd, 0);

		if (p == MAP_FAILED)
			continue;
		ring->page = p;
		ring->size = n;
		return 0;
	}
	return -1;
}

/* An event that never happens: it holds a ring, and carries names and forks. */
static struct perf_event_attr dummy(const struct rings *r, bool is_names)
{
	struct perf_event_attr a = attributes(r);

	a.type = PERF_TYPE_SOFTWARE;
	a.config = PERF_COUNT_SW_DUMMY;
	a.comm = a.task = is_names;
	a.mmap = a.mmap2 = is_names && r->config.wants_mappings;
	return a;
}

static int add_ring(struct rings *r, uint32_t cpu, bool is_names, struct err *e)
{
	struct perf_event_attr a = dummy(r, is_names);
	struct epoll_event ev = {.events = EPOLLIN};
	struct ring ring = {.cpu = cpu, .is_names = is_names};
	bool is_events = !is_names || r->config.wants_mappings;

	ring.fd = open_event(&a, r->tids[0], cpu);
	if (ring.fd < 0 && errno == ENODEV)
		return 0; /* the processor is off line */
	if (ring.fd < 0)
		return refuse(e);
	*vec_push(&r->fds) = (struct ring_fd){ring.fd, NO_SOURCE, false};
	if (map_ring(&ring, is_events ? r->config.bytes : NAMES_BYTES))
		return err_errno(e, STATUS_NOMEM,
				 "cannot map a buffer of the kernel's events");
	ring.copy = oom_calloc(1, RECORD_MAX);
	if (is_names && is_events)
		ring.mapping = oom_calloc(1, MAPPING_BYTES);
	*vec_push(&r->list) = ring;
	if (is_events)
		epoll_ctl(r->epoll, EPOLL_CTL_ADD, ring.fd, &ev);
	return 0;
}

/* The event, of each thread, on the ring's processor. */
static int add_events(struct rings *r, const struct ring *ring,
		      struct perf_event_attr *a, struct err *e)
{
	uint32_t source = ring->is_names ? NO_SOURCE : r->nsources;
	uint64_t id;

	/* the ring was made with the first thread's names */
	for (size_t i = ring->is_names; i < r->ntids || i == 0; i++) {
		int fd = open_event(a, r->tids[i], ring->cpu);

		if (fd < 0 && errno == ESRCH)
			continue; /* the thread has ended */
		if (fd < 0)
			return refuse(e);
		*vec_push(&r->fds) =
			(struct ring_fd){fd, source, a->type == PERF_TYPE_TRACEPOINT};
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ||
		    ioctl(fd, PERF_EVENT_IOC_ID, &id))
			return refuse(e);
		map_set(&r->sources, id, source);
	}
	return 0;
}

/* Each event takes a descriptor on each processor. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int rings_open(const struct rings_config *config, const struct rings_of *of,
	       struct rings **out, struct err *e)
{
	struct rings *r = oom_calloc(1, sizeof(*r));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int rc = 0;

	raise_limit();
	*r = (struct rings){.config = *config,
			    .ntids = of->n,
			    .follows = of->follows,
			    .mappings = NO_SOURCE};
	r->tids = oom_calloc(of->n + 1, sizeof(*r->tids));
	r->tids[0] = -1;
	if (of->n)
		memcpy(r->tids, of->tids, of->n * sizeof(*r->tids));
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (uint32_t cpu = 0; cpu < (uint32_t)cpus && rc == 0; cpu++) {
		rc = add_ring(r, cpu, false, e);
		if (rc == 0)
			rc = add_ring(r, cpu, true, e);
	}
	for (size_t i = 0; i < r->list.len && rc == 0; i++) {
		struct perf_event_attr a = dummy(r, true);

		if (r->list.data[i].is_names && of->n > 1)
			rc = add_events(r, &r->list.data[i], &a, e);
	}
	if (rc) {
		rings_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

void rings_close(struct rings *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->list.len; i++) {
		munmap(r->list.data[i].page, PAGE + r->list.data[i].size);
		free(r->list.data[i].copy);
		free(r->list.data[i].mapping);
	}
	for (size_t i = 0; i < r->fds.len; i++)
		close(r->fds.data[i].fd);
	if (r->epoll >= 0)
		close(r->epoll);
	vec_release(&r->list);
	vec_release(&r->fds);
	map_release(&r->sources);
	ring_heap_release(&r->order);
	free(r->tids);
	free(r);
}

static void describe(struct perf_event_attr *a, const struct ring_event *event)
{
	a->type = event->type;
	a->config = event->config;
	a->sample_period = event->period;
	a->exclude_user = event->no_user;
	a->exclude_kernel = event->no_kernel;
}

bool rings_can_count(const struct ring_event *event)
{
	struct perf_event_attr a = {.size = sizeof(a), .disabled = 1};
	int fd;

	describe(&a, event);
	fd = open_event(&a, 0, (uint32_t)-1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int rings_add(struct rings *r, const struct ring_event *event, struct err *e)
{
	struct perf_event_attr a = attributes(r);
	int rc = 0;

	describe(&a, event);
	for (size_t i = 0; i < r->list.len && rc == 0; i++)
		if (!r->list.data[i].is_names)
			rc = add_events(r, &r->list.data[i], &a, e);
	r->nsources++;
	return rc;
}

void rings_add_mappings(struct rings *r)
{
	r->mappings = r->nsources++;
}

int rings_filter(struct rings *r, uint32_t source, const char *filter, struct err *e)
{
	if (source == r->mappings)
		return err_set(e, STATUS_UNSUP, "the kernel filters tracepoints only");
	for (size_t i = 0; i < r->fds.len; i++) {
		const struct ring_fd *f = &r->fds.data[i];

		if (f->source == source &&
		    ioctl(f->fd, PERF_EVENT_IOC_SET_FILTER, filter))
			return err_errno(e, STATUS_UNSUP,
					 "the kernel does not take the filter '%s'",
					 filter);
	}
	return 0;
}

static void control(struct rings *r, unsigned long what)
{
	for (size_t i = 0; i < r->fds.len; i++)
		ioctl(r->fds.data[i].fd, what, 0);
}

void rings_start(struct rings *r)
{
	control(r, PERF_EVENT_IOC_ENABLE);
}

void rings_stop(struct rings *r)
{
	control(r, PERF_EVENT_IOC_DISABLE);
}

int rings_fd(const struct rings *r)
{
	return r->epoll;
}

/* ---- reading ---- */

/* The words of a record, one after the other; what is missing is zero. */
struct reader {
	const unsigned char *at, *end;
};

static uint64_t take(struct reader *p, size_t size)
{
	uint64_t v = 0;

	if ((size_t)(p->end - p->at) < size) {
		p->at = p->end;
		return 0;
	}
	memcpy(&v, p->at, size);
	p->at += size;
	return v;
}

static void take_identity(struct reader *p, struct ring_record *out)
{
	out->pid = (uint32_t)take(p, 4);
	out->tid = (uint32_t)take(p, 4);
	out->time = take(p, 8);
	out->cpu = (uint32_t)take(p, 4);
	take(p, 4);
}

static void take_chain(struct reader *p, struct ring_record *out)
{
	uint64_t n = take(p, 8);

	n = min_u64(n, (uint64_t)(p->end - p->at) / 8);
	call_chain_split((const void *)p->at, n, out);
	p->at += n * 8;
}

static void take_sample(const struct rings *r, struct reader *p,
			struct ring_record *out)
{
	uint64_t source;

	out->kind = RING_EVENT;
	out->source = map_get(&r->sources, take(p, 8), &source) ? (uint32_t)source
								: NO_SOURCE;
	out->pc = take(p, 8);
	take_identity(p, out);
	if (r->config.wants_stacks)
		take_chain(p, out);
	out->n = (uint32_t)take(p, 4);
	out->n = (uint32_t)min_u64(out->n, (uint64_t)(p->end - p->at));
	out->bytes = p->at;
}

/* What stands at the end of each record but samples. */
static void take_trailer(const struct reader *p, struct ring_record *out)
{
	const size_t size = 32;
	struct reader tail = {p->end - size, p->end};
	struct ring_record id = {0};

	if ((size_t)(p->end - p->at) < size)
		return;
	take_identity(&tail, &id);
	out->time = id.time;
	out->cpu = id.cpu;
}

/* False: it is of no file. After the path is only the trailer. */
static bool take_mapping(const struct rings *r, const struct ring *ring,
			 struct reader *p, struct ring_record *out)
{
	const size_t other = 24 + 2 * 4; /* which file, protection, flags */
	struct mapping_event m;

	if (!ring->mapping || r->mappings == NO_SOURCE)
		return false;
	out->kind = RING_EVENT;
	out->source = r->mappings;
	take_trailer(p, out);
	out->pid = (uint32_t)take(p, 4);
	out->tid = (uint32_t)take(p, 4);
	m.address = take(p, 8);
	m.size = take(p, 8);
	m.offset = take(p, 8);
	p->at += min_u64(other, (uint64_t)(p->end - p->at));
	m.path = (const char *)p->at;
	m.n = (size_t)(p->end - p->at);
	out->bytes = ring->mapping;
	out->n = mapping_event_make(&m, out->tid, ring->mapping);
	return mapping_event_is_file(&m);
}

/* False: a record that does not matter. */
static bool take_record(const struct rings *r, const struct ring *ring,
			const struct perf_event_header *h, struct reader *p,
			struct ring_record *out)
{
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(r, p, out);
		out->in_kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				 PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_RECORD_COMM:
		out->kind = RING_NAME;
		take_trailer(p, out);
		out->is_exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
		out->pid = (uint32_t)take(p, 4);
		out->tid = (uint32_t)take(p, 4);
		for (size_t i = 0; i + 1 < sizeof(out->text) && p->at < p->end; i++)
			out->text[i] = (char)take(p, 1);
		return true;
	case PERF_RECORD_FORK:
		out->kind = RING_FORK;
		take_trailer(p, out);
		out->pid = (uint32_t)take(p, 4);
		out->parent_pid = (uint32_t)take(p, 4);
		out->tid = (uint32_t)take(p, 4);
		out->parent = (uint32_t)take(p, 4);
		return true;
	case PERF_RECORD_MMAP2:
		return take_mapping(r, ring, p, out);
	case PERF_RECORD_LOST:
		if (ring->is_names && !ring->mapping)
			return false;
		out->kind = RING_LOST;
		take_trailer(p, out);
		take(p, 8);
		out->count = take(p, 8);
		return true;
	default:
		return false;
	}
}

/* n bytes of the ring at a position, copied if they wrap around. */
static const unsigned char *bytes_at(const struct ring *ring, uint64_t at, size_t n)
{
	const unsigned char *data = (const unsigned char *)ring->page + PAGE;
	uint64_t from = at & (ring->size - 1), first = min_u64(n, ring->size - from);

	if (first == n)
		return data + from;
	memcpy(ring->copy, data + from, first);
	memcpy(ring->copy + first, data, n - first);
	return ring->copy;
}

static void give_back(struct ring *ring)
{
	atomic_store_explicit((_Atomic __u64 *)&ring->page->data_tail, ring->next,
			      memory_order_release);
	ring->has_record = false;
}

/* Reads the next record of a ring, if it has none. */
static void fill(const struct rings *r, struct ring *ring)
{
	while (!ring->has_record) {
		uint64_t head = atomic_load_explicit(
			(_Atomic __u64 *)&ring->page->data_head, memory_order_acquire);
		uint64_t tail = ring->page->data_tail;
		struct perf_event_header h;
		struct reader p;

		if (head - tail < sizeof(h))
			return;
		memcpy(&h, bytes_at(ring, tail, sizeof(h)), sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail)
			return;
		p.at = bytes_at(ring, tail, h.size);
		p.end = p.at + h.size;
		p.at += sizeof(h);
		ring->record = (struct ring_record){.cpu = ring->cpu};
		ring->next = tail + h.size;
		ring->has_record = take_record(r, ring, &h, &p, &ring->record);
		if (!ring->has_record)
			give_back(ring);
	}
}

/*
 * Looks into the rings that were empty, once for each limit: what comes there meanwhile
 * is later than the limit.
 */
static void look_again(struct rings *r, uint64_t limit)
{
	if (r->has_looked && r->limit == limit)
		return;
	for (uint32_t i = 0; i < r->list.len; i++) {
		struct ring *ring = &r->list.data[i];

		if (ring->has_record)
			continue;
		fill(r, ring);
		if (ring->has_record)
			ring_heap_add(&r->order, ring->record.time, i);
	}
	r->has_looked = true;
	r->limit = limit;
}

/* The record that was returned last has been read. */
static void go_on(struct rings *r)
{
	struct ring *ring = r->current;

	if (!ring)
		return;
	give_back(ring);
	fill(r, ring);
	if (ring->has_record)
		ring_heap_replace(&r->order, ring->record.time);
	else
		ring_heap_remove(&r->order);
	r->current = NULL;
}

bool rings_next(struct rings *r, uint64_t limit, struct ring_record *out)
{
	const struct ring_key *first;

	go_on(r);
	look_again(r, limit);
	first = ring_heap_first(&r->order);
	if (!first || first->time > limit) {
		r->has_looked = false;
		return false;
	}
	r->current = &r->list.data[first->ring];
	*out = r->current->record;
	if (out->kind == RING_EVENT)
		/* the kernel counts no samples of time, and no mappings */
		r->seen += out->n > RAW_LEAST && out->source != r->mappings;
	else if (out->kind == RING_LOST)
		r->seen += out->count;
	return true;
}

uint64_t rings_missing(const struct rings *r)
{
	uint64_t all = 0, n;

	for (size_t i = 0; i < r->fds.len; i++)
		if (r->fds.data[i].is_counter &&
		    read(r->fds.data[i].fd, &n, sizeof(n)) == (ssize_t)sizeof(n))
			all += n;
	return all > r->seen ? all - r->seen : 0;
}

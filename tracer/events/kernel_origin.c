/* SPDX-License-Identifier: MIT */
/*
 * The kernel that runs, as the origin of events: tracefs says which there are, perf
 * events bring them.
 */
#include "tracer/events/mapping_event.h"
#include "tracer/events/origin.h"
#include "tracer/events/rings.h"
#include "tracer/events/tracefs.h"
#include "vm/base/host/oom.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

struct kernel {
	struct origin base;
	int dir; /* of tracefs; -1: not opened */
	struct rings *rings;
};

static struct kernel *kernel_of(struct origin *o)
{
	return (struct kernel *)o; /* its first member */
}

static struct rings *rings_in(const struct origin *o)
{
	return ((const struct kernel *)o)->rings;
}

static int get_directory(struct origin *o, struct err *e)
{
	struct kernel *k = kernel_of(o);

	if (k->dir < 0)
		k->dir = tracefs_open(e);
	return k->dir;
}

static int each(struct origin *o, tracepoint_found *found, void *ctx, struct err *e)
{
	int dir = get_directory(o, e);

	return dir < 0 ? dir : tracefs_each(dir, found, ctx, e);
}

static int format(struct origin *o, const char *system, const char *event,
		  struct strbuf *out, struct err *e)
{
	int dir;

	if (mapping_event_is(system, event)) {
		mapping_event_format(out);
		return 0;
	}
	dir = get_directory(o, e);
	return dir < 0 ? dir : tracefs_format(dir, system, event, out, e);
}

static int open_rings(struct origin *o, const struct rings_config *config,
		      const struct rings_of *of, struct err *e)
{
	return rings_open(config, of, &kernel_of(o)->rings, e);
}

static int add(struct origin *o, const struct origin_event *event, struct err *e)
{
	const struct ring_event tracepoint = {
		.type = PERF_TYPE_TRACEPOINT, .config = event->id, .period = 1};
	const struct ring_event counter = {event->type, event->config, event->interval,
					   event->no_user, event->no_kernel};

	if (mapping_event_is(event->system, event->name)) {
		rings_add_mappings(rings_in(o));
		return 0;
	}
	return rings_add(rings_in(o), event->name ? &tracepoint : &counter, e);
}

static int filter(struct origin *o, uint32_t source, const char *text, struct err *e)
{
	return rings_filter(rings_in(o), source, text, e);
}

static void start(struct origin *o)
{
	rings_start(rings_in(o));
}

static void stop(struct origin *o)
{
	rings_stop(rings_in(o));
}

static bool next(struct origin *o, uint64_t limit, struct ring_record *out)
{
	return rings_next(rings_in(o), limit, out);
}

static uint64_t missing(const struct origin *o)
{
	return rings_missing(rings_in(o));
}

static int fd(const struct origin *o)
{
	return rings_fd(rings_in(o));
}

static bool tells(const struct origin *o, enum hardware_kind kind)
{
	(void)o;
	return hardware_is_told("", kind);
}

static void hardware(const struct origin *o, struct hardware *out)
{
	(void)o;
	hardware_read("", out);
}

static void close_rings(struct origin *o, struct ustack *u)
{
	(void)u;
	rings_close(rings_in(o));
	kernel_of(o)->rings = NULL;
}

static void free_kernel(struct origin *o)
{
	if (kernel_of(o)->dir >= 0)
		close(kernel_of(o)->dir);
	free(o);
}

struct origin *kernel_origin_new(void)
{
	static const struct origin_calls calls = {
		.each = each,
		.format = format,
		.open = open_rings,
		.add = add,
		.filter = filter,
		.start = start,
		.stop = stop,
		.next = next,
		.missing = missing,
		.fd = fd,
		.tells = tells,
		.hardware = hardware,
		.close = close_rings,
		.free = free_kernel,
	};
	struct kernel *k = oom_calloc(1, sizeof(*k));

	k->base.calls = &calls;
	k->dir = -1;
	return &k->base;
}

void origin_free(struct origin *o)
{
	if (o)
		o->calls->free(o);
}

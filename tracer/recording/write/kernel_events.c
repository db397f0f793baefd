/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/kernel_events.h"
#include "tracer/output/kernel_names.h"
#include "vm/base/host/vec.h"

void kernel_events_release(struct kernel_events *k)
{
	vec_release(&k->numbers);
}

/* ---- samples ---- */

static void end_sample(struct events_out *o)
{
	if (o->held)
		events_out_hold(o);
	else
		events_out_end(o);
}

/* What clauses have asked: the common fields, where the bytes are, and they. */
static void write_asked(const struct kernel_events *k, const struct event_place *place,
			const void *told, size_t n)
{
	const uint32_t at = 12;
	const struct {
		uint16_t type, flags;
		uint32_t thread, where;
	} head = {(uint16_t)tracepoints_id(k->tracepoints, TRACEPOINT_ASKED), 0,
		  place->tid, at | (uint32_t)n << 16};

	events_out_sample(k->out, TRACEPOINT_ASKED, place, NULL);
	events_out_add(k->out, &head, sizeof(head));
	if (n <= UINT16_MAX && events_out_add(k->out, told, n))
		end_sample(k->out);
}

static void write_event(struct kernel_events *k, const struct event_place *place,
			const struct ring_record *r)
{
	const bool has_stacks = k->out->has_stacks;
	const struct event_stacks stacks = {
		.kernel = r->kernel,
		.user = r->user,
		.nkernel = has_stacks ? r->nkernel : 0,
		.nuser = has_stacks ? r->nuser : 0,
		.has_pc = true,
		.pc = r->pc,
		.in_kernel = r->in_kernel,
	};

	if (stacks.nuser)
		processes_out_code(k->processes, k->out, place);
	events_out_sample(k->out, k->numbers.data[r->source], place, &stacks);
	if (events_out_add(k->out, r->bytes, r->n))
		end_sample(k->out);
	else
		events_out_lost(k->out, place, 1); /* it is larger than a record */
	k->count++;
}

/* ---- the sink ---- */

static void on_source(void *ctx, const struct origin_event *event, const char *format)
{
	struct kernel_events *k = ctx;

	*vec_push(&k->numbers) = tracepoints_add_kernel(k->tracepoints, event, format);
}

/* Known before the first event. */
static void on_name(void *ctx, uint32_t pid, uint32_t tid, const char *name)
{
	struct kernel_events *k = ctx;
	const struct event_place place = {.time = k->began, .pid = pid, .tid = tid};

	processes_out_name(k->processes, k->out, &place, name, false);
}

static void on_record(void *ctx, const struct ring_record *r, const void *told,
		      size_t told_size)
{
	struct kernel_events *k = ctx;
	const struct event_place place = {r->time, r->cpu, r->pid, r->tid};

	switch (r->kind) {
	case RING_EVENT:
		if (r->source >= k->numbers.len)
			return;
		processes_out_thread(k->processes, k->out, &place);
		if (told_size)
			write_asked(k, &place, told, told_size);
		write_event(k, &place, r);
		break;
	case RING_NAME:
		processes_out_name(k->processes, k->out, &place, r->text, r->is_exec);
		break;
	case RING_FORK:
		processes_out_fork(
			k->processes, k->out, &place,
			&(struct event_fork){r->pid, r->parent_pid, r->tid, r->parent});
		break;
	case RING_LOST: /* recorder_lost() is told */
		return;
	}
	k->has_new = true;
}

void kernel_events_begin(struct kernel_events *k, struct events *events)
{
	k->sink = (struct event_sink){k, on_source, on_name, on_record};
	events_record(events, &k->sink);
}

void kernel_events_put_code(const struct kernel_events *k)
{
	struct kernel_names *names;
	uint64_t from, to;

	if (!k->numbers.len || !k->out->has_stacks)
		return;
	names = kernel_names_new();
	if (kernel_names_address(names, "_text", &from) &&
	    kernel_names_address(names, "_etext", &to) && to > from)
		events_out_kernel(k->out, from, to - from, "_text");
	kernel_names_free(names);
}

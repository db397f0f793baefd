/* SPDX-License-Identifier: MIT */
/*
 * Layouts: linux/perf_event.h, and for records from 64 on perf.data-file-format.txt of
 * the kernel's tools.
 */
#include "tracer/recording/write/events_out.h"
#include "tracer/base/hardware.h"
#include "vm/base/host/clock.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Numbers that samples name their attributes by. */
#define SAMPLE_ID_FIRST 1000000u

enum { /* types of records that are perf's own */
       RECORD_ATTR = 64,
       RECORD_TRACING_DATA = 66,
       RECORD_FINISHED_ROUND = 68,
       RECORD_FEATURE = 80,
};

enum { /* and its features */
       FEATURE_HOSTNAME = 3,
       FEATURE_OSRELEASE = 4,
       FEATURE_ARCH = 6,
       FEATURE_NRCPUS = 7,
       FEATURE_CPUDESC = 8,
       FEATURE_TOTAL_MEM = 10,
       FEATURE_CMDLINE = 11,
       FEATURE_CLOCK_DATA = 29,
};

#define NAME_ALIGNED 64 /* texts of features take multiples of it */

/* ---- bytes ---- */

static void begin(struct events_out *o, uint32_t type, uint16_t misc)
{
	const struct perf_event_header h = {.type = type, .misc = misc};

	memcpy(o->bytes, &h, sizeof(h));
	o->len = sizeof(h);
}

bool events_out_add(struct events_out *o, const void *bytes, size_t n)
{
	if (n > EVENT_MAX - o->len)
		return false;
	if (n)
		memcpy(o->bytes + o->len, bytes, n);
	o->len += n;
	return true;
}

static void add(struct events_out *o, uint64_t value, size_t size)
{
	events_out_add(o, &value, size);
}

static void pad(struct events_out *o)
{
	static const unsigned char zeros[8];

	events_out_add(o, zeros, (8 - o->len % 8) % 8);
}

/* A text with its NUL; too long, it is cut. */
static void add_text(struct events_out *o, const char *text, size_t most)
{
	events_out_add(o, text, strnlen(text, most - 1));
	add(o, 0, 1);
	pad(o);
}

static void set_size(struct events_out *o)
{
	const uint16_t size = (uint16_t)o->len;

	memcpy(o->bytes + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
}

static void end(struct events_out *o)
{
	set_size(o);
	event_file_add(o->file, o->bytes, o->len);
}

/* ---- what it begins with ---- */

static uint64_t sample_type(const struct events_out *o)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
	       PERF_SAMPLE_RAW | (o->has_stacks ? PERF_SAMPLE_CALLCHAIN : 0u);
}

static void put_attr(struct events_out *o, const struct tracepoints *ts,
		     uint32_t number)
{
	const struct tracepoint *t = &ts->list.data[number];
	const struct origin_event *e = &t->event;
	struct perf_event_attr attr = {
		.type = t->name ? PERF_TYPE_TRACEPOINT : e->type,
		.size = PERF_ATTR_SIZE_VER7,
		.config = t->name ? tracepoints_id(ts, number) : e->config,
		.sample_period = t->name ? 1 : e->interval,
		.exclude_user = e->no_user,
		.exclude_kernel = e->no_kernel,
		.exclude_guest =
			!t->name, /* else perf shows that it does not exclude them */
		.sample_type = sample_type(o),
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.task = 1,
	};

	begin(o, RECORD_ATTR, 0);
	events_out_add(o, &attr, PERF_ATTR_SIZE_VER7);
	add(o, SAMPLE_ID_FIRST + number, 8);
	end(o);
}

/* The record has no room for them: they follow it. */
static void put_formats(struct events_out *o, const struct tracepoints *ts)
{
	struct strbuf formats = {0};

	tracepoints_formats(ts, &formats);
	strbuf_pad(&formats, '\0', (8 - formats.len % 8) % 8);
	begin(o, RECORD_TRACING_DATA, 0);
	add(o, formats.len, 4);
	end(o);
	event_file_add(o->file, formats.data, formats.len);
	strbuf_release(&formats);
}

static void add_string(struct events_out *o, const char *text)
{
	static const char zeros[NAME_ALIGNED];
	size_t n = strnlen(text, 4095);

	add(o, align_up(n + 1, NAME_ALIGNED), 4);
	events_out_add(o, text, n);
	events_out_add(o, zeros, align_up(n + 1, NAME_ALIGNED) - n);
}

static void begin_feature(struct events_out *o, uint64_t feature)
{
	begin(o, RECORD_FEATURE, 0);
	add(o, feature, 8);
}

static void end_feature(struct events_out *o)
{
	pad(o);
	end(o);
}

static void put_string(struct events_out *o, uint64_t feature, const char *text)
{
	begin_feature(o, feature);
	add_string(o, text);
	end_feature(o);
}

/* The model of the first processor, as perf does; the memory in kilobytes. */
static void put_hardware(struct events_out *o)
{
	struct hardware h = {0};
	bool has_model = false;

	hardware_read("", &h);
	for (size_t i = 0; i < h.list.len; i++) {
		const struct hardware_item *item = &h.list.data[i];

		if (item->kind == HARDWARE_PROCESSOR && !has_model) {
			put_string(o, FEATURE_CPUDESC, item->text[7]);
			has_model = true;
		} else if (item->kind == HARDWARE_MEMORY) {
			begin_feature(o, FEATURE_TOTAL_MEM);
			add(o, item->value[0] / 1024, 8);
			end_feature(o);
		}
	}
	hardware_release(&h);
}

static void put_machine(struct events_out *o)
{
	struct utsname machine = {0};

	uname(&machine);
	put_string(o, FEATURE_HOSTNAME, machine.nodename);
	put_string(o, FEATURE_OSRELEASE, machine.release);
	put_string(o, FEATURE_ARCH, machine.machine);
	begin_feature(o, FEATURE_NRCPUS);
	add(o, (uint64_t)sysconf(_SC_NPROCESSORS_CONF), 4);
	add(o, (uint64_t)sysconf(_SC_NPROCESSORS_ONLN), 4);
	end_feature(o);
	put_hardware(o);
	begin_feature(o, FEATURE_CLOCK_DATA);
	add(o, 1, 4); /* its version */
	add(o, CLOCK_MONOTONIC, 4);
	add(o, clock_ns(CLOCK_REALTIME), 8);
	add(o, clock_now_ns(), 8);
	end_feature(o);
}

void events_out_begin(struct events_out *o, const struct tracepoints *ts,
		      const char *const *command, size_t ncommand)
{
	const size_t most = 12; /* words, of at most 4160 bytes each */

	for (uint32_t i = 0; i < ts->list.len; i++)
		put_attr(o, ts, i);
	put_machine(o);
	ncommand = min_u64(ncommand, most);
	begin_feature(o, FEATURE_CMDLINE);
	add(o, ncommand, 4);
	for (size_t i = 0; i < ncommand; i++)
		add_string(o, command[i]);
	end_feature(o);
	put_formats(o, ts);
}

/* ---- samples ---- */

static void add_chain(struct events_out *o, const struct event_stacks *s)
{
	const uint64_t n =
		s->nkernel + (s->nkernel ? 1u : 0) + s->nuser + (s->nuser ? 1u : 0);

	add(o, n, 8);
	if (s->nkernel) {
		add(o, PERF_CONTEXT_KERNEL, 8);
		events_out_add(o, s->kernel, s->nkernel * sizeof(*s->kernel));
	}
	if (s->nuser) {
		add(o, PERF_CONTEXT_USER, 8);
		events_out_add(o, s->user, s->nuser * sizeof(*s->user));
	}
}

/* The word before the bytes of the event is their number. */
static size_t bytes_at(const struct events_out *o)
{
	uint64_t n = 0;
	size_t at = sizeof(struct perf_event_header) + 6 * sizeof(uint64_t);

	if (o->has_stacks) {
		memcpy(&n, o->bytes + at, sizeof(n));
		at += sizeof(n) * (1 + n);
	}
	return at + sizeof(uint32_t);
}

void events_out_sample(struct events_out *o, uint32_t number,
		       const struct event_place *p, const struct event_stacks *s)
{
	static const struct event_stacks none;
	uint64_t pc = 0;
	bool in_kernel;

	if (!s)
		s = &none;
	in_kernel = s->has_pc ? s->in_kernel : s->nkernel > 0;
	if (s->has_pc)
		pc = s->pc;
	else if (s->nuser)
		memcpy(&pc, s->user, sizeof(pc));
	begin(o, PERF_RECORD_SAMPLE,
	      in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	add(o, SAMPLE_ID_FIRST + number, 8);
	add(o, pc, 8);
	add(o, p->pid, 4);
	add(o, p->tid, 4);
	add(o, p->time, 8);
	add(o, p->cpu, 4);
	add(o, 0, 4);
	add(o, 1, 8); /* the period */
	if (o->has_stacks)
		add_chain(o, s);
	add(o, 0, 4);
}

unsigned char *events_out_event(struct events_out *o)
{
	return o->bytes + bytes_at(o);
}

/* The number of bytes and they are a multiple of 8 together. */
static void end_bytes(struct events_out *o)
{
	size_t at = bytes_at(o);
	uint32_t n;

	pad(o);
	n = (uint32_t)(o->len - at);
	memcpy(o->bytes + at - sizeof(n), &n, sizeof(n));
	set_size(o);
}

void events_out_end(struct events_out *o)
{
	end_bytes(o);
	event_file_add(o->file, o->bytes, o->len);
}

void events_out_hold(struct events_out *o)
{
	end_bytes(o);
	held_events_add(o->held, o->bytes, o->len);
}

/* ---- processes ---- */

/* What other records than samples end with, by the sample type. */
static void end_at(struct events_out *o, const struct event_place *p)
{
	add(o, p->pid, 4);
	add(o, p->tid, 4);
	add(o, p->time, 8);
	add(o, p->cpu, 4);
	add(o, 0, 4);
	add(o, SAMPLE_ID_FIRST, 8);
	end(o);
}

void events_out_name(struct events_out *o, const struct event_place *p,
		     const char *name, bool is_exec)
{
	begin(o, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	add(o, p->pid, 4);
	add(o, p->tid, 4);
	add_text(o, name, 16);
	end_at(o, p);
}

void events_out_fork(struct events_out *o, const struct event_place *p,
		     const struct event_fork *f)
{
	begin(o, PERF_RECORD_FORK, 0);
	add(o, f->pid, 4);
	add(o, f->parent, 4);
	add(o, f->tid, 4);
	add(o, f->parent_tid, 4);
	add(o, p->time, 8);
	end_at(o, p);
}

void events_out_exit(struct events_out *o, const struct event_place *p)
{
	begin(o, PERF_RECORD_EXIT, 0);
	for (int i = 0; i < 4; i++) /* the process, its parent, and threads of both */
		add(o, p->pid, 4);
	add(o, p->time, 8);
	end_at(o, p);
}

void events_out_lost(struct events_out *o, const struct event_place *p, uint64_t n)
{
	begin(o, PERF_RECORD_LOST, 0);
	add(o, SAMPLE_ID_FIRST, 8);
	add(o, n, 8);
	end_at(o, p);
}

void events_out_round(struct events_out *o)
{
	begin(o, RECORD_FINISHED_ROUND, 0);
	end(o);
}

#define BUILD_ID_MAX 20

void events_out_map(struct events_out *o, const struct event_place *p,
		    const struct event_map *m)
{
	uint8_t id[BUILD_ID_MAX] = {0};
	size_t n = min_u64(m->build_id_size, sizeof(id));

	begin(o, PERF_RECORD_MMAP2,
	      (uint16_t)(PERF_RECORD_MISC_USER |
			 (n ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0)));
	add(o, p->pid, 4);
	add(o, p->tid, 4);
	add(o, m->address, 8);
	add(o, m->size, 8);
	add(o, m->offset, 8);
	if (n) {
		memcpy(id, m->build_id, n);
		add(o, n, 4); /* its size, and three bytes of padding */
		events_out_add(o, id, sizeof(id));
	} else {
		add(o, m->major, 4);
		add(o, m->minor, 4);
		add(o, m->inode, 8);
		add(o, 0, 8);
	}
	add(o, PROT_READ | PROT_EXEC, 4);
	add(o, 2, 4); /* MAP_PRIVATE */
	add_text(o, m->path, 4096);
	end_at(o, p);
}

void events_out_kernel(struct events_out *o, uint64_t address, uint64_t size,
		       const char *symbol)
{
	const struct event_place nobody = {.pid = UINT32_MAX};
	char name[64];

	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", symbol);
	begin(o, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	add(o, nobody.pid, 4);
	add(o, nobody.tid, 4);
	add(o, address, 8);
	add(o, size, 8);
	add(o, address, 8); /* of the symbol */
	add_text(o, name, sizeof(name));
	end_at(o, &nobody);
}

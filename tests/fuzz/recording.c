/* SPDX-License-Identifier: MIT */
/*
 * A recording (tracer/recording/read/): an input is the whole file. Some of the seeds went
 * through a pipe, some did not, one is compressed.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/events/event_format.h"
#include "tracer/events/origin.h"
#include "tracer/output/ustack.h"
#include "tracer/recording/read/recording.h"

#define RECORDS_MAX 100000
#define FOUND_MAX   64

static volatile uint64_t touched;

struct found {
	struct origin *origin;
	size_t n;
};

/* The format is parsed as the compiler parses it, and the event is wanted. */
static void on_tracepoint(void *ctx, const char *system, const char *name)
{
	struct found *f = ctx;
	struct origin_event event = {.system = system, .name = name};
	struct event_format *format = NULL;
	struct strbuf text = {0};
	struct err e;

	if (f->n++ >= FOUND_MAX)
		return;
	if (f->origin->calls->format(f->origin, system, name, &text, &e) == 0)
		event_format_parse(text.data, text.len, 256, &format, &e);
	event_format_free(format);
	strbuf_release(&text);
	assert(f->origin->calls->add(f->origin, &event, &e) == 0);
}

/* Each byte of a record can be read. */
static uint64_t touch(const struct ring_record *r)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->n; i++)
		sum += r->bytes[i];
	for (uint32_t i = 0; i < r->nkernel; i++)
		sum += r->kernel[i];
	for (uint32_t i = 0; i < r->nuser; i++)
		sum += r->user[i];
	assert(memchr(r->text, '\0', sizeof(r->text)));
	return sum;
}

static void replay(struct origin *o)
{
	const struct options options = {0};
	struct ustack *u = ustack_new(&options);
	const struct rings_config config = {0};
	const struct rings_of of = {0};
	const struct origin_event samples = {.interval = 1000000};
	struct found found = {o, 0};
	struct strbuf text = {0};
	struct ring_record r;
	uint64_t last = 0;
	struct err e;

	o->calls->describe(o, &text);
	strbuf_release(&text);
	assert(o->calls->open(o, &config, &of, &e) == 0);
	o->calls->each(o, on_tracepoint, &found, &e);
	o->calls->add(o, &samples, &e);
	while (o->calls->notice(o))
		;
	for (int i = 0; i < RECORDS_MAX && o->calls->next(o, UINT64_MAX, &r); i++) {
		assert(r.time >= last);
		last = r.time;
		touched += touch(&r);
		o->calls->name_process(o, u, r.pid);
	}
	o->calls->damage(o, &e);
	o->calls->close(o, u);
	ustack_free(u);
}

/* Formats that it refuses: the library does not free the last word. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

void fuzz_one(const uint8_t *data, size_t n)
{
	char path[64];
	struct origin *o;
	struct err e;
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (recording_open(path, &o, &e) == 0) {
		replay(o);
		origin_free(o);
	}
	close(fd);
}

/* SPDX-License-Identifier: MIT */
/*
 * A recording (tracer/recording/): an input is the whole file. Some of the seeds went
 * through a pipe, some did not, one is compressed; some are of dtrace itself, with probes
 * of processes, and one of those is a snapshot. One has a machine and mappings.
 *
 * Each input is read as the reader gives it (tracer/recording/read/), and then a program
 * runs on it, which asks for all that a recording of dtrace may have been told.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/limits.h"
#include "tracer/events/event_format.h"
#include "tracer/events/mapping_event.h"
#include "tracer/events/origin.h"
#include "tracer/output/ustack.h"
#include "tracer/recording/read/recording.h"
#include "tracer/tracer.h"

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

/* What it says of its machine: texts end. */
static void look_at_machine(const struct origin *o)
{
	struct hardware h = {0};

	o->calls->hardware(o, &h);
	for (size_t i = 0; i < h.list.len; i++) {
		assert(o->calls->tells(o, h.list.data[i].kind));
		for (int k = 0; k < HARDWARE_ARGUMENTS; k++)
			if (h.list.data[i].text[k])
				touched += strlen(h.list.data[i].text[k]);
	}
	hardware_release(&h);
}

static void replay(struct origin *o)
{
	const struct options options = {0};
	struct ustack *u = ustack_new(&options);
	const struct rings_config config = {0};
	const struct rings_of of = {0};
	const struct origin_event samples = {.interval = 1000000};
	const struct origin_event mappings = {.system = MAPPING_SYSTEM,
					      .name = MAPPING_NAME};
	struct found found = {o, 0};
	struct strbuf text = {0};
	struct ring_record r;
	uint64_t last = 0;
	struct err e;

	o->calls->describe(o, &text);
	strbuf_release(&text);
	look_at_machine(o);
	assert(o->calls->open(o, &config, &of, &e) == 0);
	o->calls->each(o, on_tracepoint, &found, &e);
	o->calls->add(o, &samples, &e);
	o->calls->add(o, &mappings, &e);
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

/* ---- a program ---- */

static const char program[] =
	"fpid*:::, pid*:::, fpid*:a.out::, syscall:::, sdt:::, profile-99"
	"{ @[probeprov, probemod, probefunc, probename] = count(); @s[ustack(4)] = "
	"sum(arg1);"
	"  printf(\"%d %d %s %d %d %s\\n\", arg0, arg9, execname, pid, errno, cwd);"
	"  trace(timestamp + vtimestamp + walltimestamp); ustack(); stack(); }"
	"library:::load { @l[args[0], args[1], args[2], args[3]] = count(); }"
	"hwconfig::: { @h[probename] = sum(arg0 + arg7); }"
	"fpid*:::, syscall::: { printf(\"%s %s\\n\", copyinstr(arg0), copyinstr(arg1, "
	"4)); }"
	"fpid*:::, syscall::: { printf(\"%s %d %s\\n\", fds[arg0].fi_pathname,"
	"  fds[arg0].fi_offset, curpsinfo->pr_psargs); tracemem(copyin(arg0, 16), 16); "
	"}"
	"fpid*:::, pid*::: { trace(uregs[R_SP]); trace(progenyof(ppid)); "
	"trace(ustackdepth);"
	"  trace(ufunc(ucaller)); self->t[arg0] = arg1; }";

/* Of the sanitizers, where they are. */
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* What dtrace says goes to /dev/null; what a sanitizer says does not. */
static void silence(void)
{
	static bool is_silent;
	int null, report;

	if (is_silent)
		return;
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	report = dup(STDERR_FILENO);
	if (__sanitizer_set_report_fd)
		__sanitizer_set_report_fd((void *)(intptr_t)report);
	assert(dup2(null, STDERR_FILENO) >= 0);
	close(null);
	is_silent = true;
}

static void run_program(const char *path)
{
	static const char *const options[][2] = {{"zdefs", NULL},
						 {"quiet", NULL},
						 {"bufsize", "64k"},
						 {"aggsize", "64k"},
						 {"dynvarsize", "64k"}};
	static char *const none[] = {NULL};
	const struct symbols_limits limits = {0}; /* the run's are about t */
	struct tracer *t = tracer_new("dtrace", 0, none);
	struct err e;

	silence();
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		assert(tracer_option(t, options[i][0], options[i][1], &e) == 0);
	assert(tracer_option(t, "recording", path, &e) == 0);
	assert(tracer_output(t, "/dev/null", &e) == 0);
	tracer_program(t, TRACER_NAME, program);
	tracer_run(t);
	tracer_free(t);
	symbols_set_limits(&limits);
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
	run_program(path);
	close(fd);
}

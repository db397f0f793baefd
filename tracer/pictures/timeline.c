/* SPDX-License-Identifier: MIT */
#include "tracer/pictures/timeline.h"
#include "tracer/base/text.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Records may be forged by a process: what they make us remember has limits. */
#define THREADS_MAX 65536
#define OPEN_MAX    (1u << 20) /* open functions of all threads */

struct thread {
	uint32_t pid, tid;
	uint64_t last; /* ns of its last event */
	uint32_t last_probe, last_epid;
	struct {
		uint32_t *data; /* probes of the entries, outermost first */
		size_t len, cap;
	} open;
};

struct timeline {
	FILE *f;
	const struct probes *probes;
	const char *(*process_name)(void *ctx, uint32_t pid);
	void *ctx;
	struct {
		struct thread *data;
		size_t len, cap;
	} threads;
	struct map by_tid, named; /* tid -> its thread; processes with a name */
	size_t nopen;
	uint64_t start, last; /* ns of CLOCK_MONOTONIC; last: relative, of all events */
	uint64_t nevents, nleft_out;
	struct strbuf text;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

struct timeline *timeline_new(FILE *f, const struct probes *probes,
			      const char *(*process_name)(void *ctx, uint32_t pid),
			      void *ctx)
{
	struct timeline *t = oom_calloc(1, sizeof(*t));

	t->f = f;
	t->probes = probes;
	t->process_name = process_name;
	t->ctx = ctx;
	t->start = now_ns();
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", f);
	return t;
}

/* ---- events ---- */

/* Where the event is, and its phase; the caller adds more and calls end_event(). */
static void begin_event(struct timeline *t, char phase, const struct thread *th)
{
	strbuf_reset(&t->text);
	strbuf_printf(&t->text, "\n{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
		      phase, th->pid, th->tid);
}

static void add_name(struct timeline *t, const char *key, const char *value)
{
	strbuf_printf(&t->text, ",\"%s\":\"", key);
	text_add_json(&t->text, value, strlen(value));
	strbuf_puts(&t->text, "\"");
}

/* In microseconds. */
static void add_time(struct timeline *t, uint64_t ns)
{
	strbuf_printf(&t->text, ",\"ts\":%" PRIu64 ".%03u", ns / 1000,
		      (unsigned)(ns % 1000));
}

static void end_event(struct timeline *t, const char *rest)
{
	fprintf(t->f, "%s%s}%s", t->text.data, rest, ",");
}

static const char *name_of(const struct timeline *t, uint32_t probe, enum probe_field f)
{
	return probes_name(t->probes, probes_get(t->probes, probe), f);
}

static void put_begin(struct timeline *t, const struct thread *th, uint32_t probe)
{
	begin_event(t, 'B', th);
	add_time(t, th->last);
	add_name(t, "name", name_of(t, probe, PROBE_FUNCTION));
	add_name(t, "cat", name_of(t, probe, PROBE_MODULE));
	end_event(t, "");
	t->nevents++;
}

static void put_end(struct timeline *t, struct thread *th, uint64_t time,
		    const char *rest)
{
	begin_event(t, 'E', th);
	add_time(t, time);
	end_event(t, rest);
	t->nevents++;
	th->open.len--;
	t->nopen--;
}

static void put_instant(struct timeline *t, const struct thread *th, uint32_t probe,
			bool is_return)
{
	struct strbuf name = {0};

	strbuf_printf(&name, "%s%s%s", name_of(t, probe, PROBE_FUNCTION),
		      *name_of(t, probe, PROBE_FUNCTION) ? ":" : "",
		      name_of(t, probe, PROBE_NAME));
	begin_event(t, 'i', th);
	add_time(t, th->last);
	add_name(t, "name", name.data);
	add_name(t, "cat", name_of(t, probe, PROBE_MODULE));
	end_event(t, is_return ? ",\"s\":\"t\",\"args\":{\"entry\":\"not recorded\"}"
			       : ",\"s\":\"t\"");
	t->nevents++;
	strbuf_release(&name);
}

/* ---- names of tracks ---- */

static void put_track(struct timeline *t, const struct thread *th, const char *kind,
		      const char *name)
{
	begin_event(t, 'M', th);
	add_name(t, "name", kind);
	strbuf_puts(&t->text, ",\"args\":{\"name\":\"");
	text_add_json(&t->text, name, strlen(name));
	end_event(t, "\"}");
}

/* What the process or thread calls itself; false if it has gone. */
static bool read_comm(const char *path, char name[64])
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(name, 1, 63, f) : 0;

	if (f)
		fclose(f);
	n -= n && name[n - 1] == '\n';
	name[n] = '\0';
	return n > 0;
}

static void name_tracks(struct timeline *t, const struct thread *th)
{
	char path[80], name[64];
	const char *known = NULL;

	if (!map_get(&t->named, th->pid, NULL)) {
		map_set(&t->named, th->pid, 1);
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", th->pid);
		if (read_comm(path, name))
			known = name;
		else if (t->process_name)
			known = t->process_name(t->ctx, th->pid);
		put_track(t, th, "process_name", known ? known : "process");
	}
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", th->pid,
		 th->tid);
	if (!read_comm(path, name))
		snprintf(name, sizeof(name), th->pid == th->tid ? "main" : "thread");
	put_track(t, th, "thread_name", name);
}

/* The thread of a record; NULL: there are too many. */
static struct thread *thread_of(struct timeline *t, const struct record *r)
{
	struct thread *th;
	uint64_t i;

	if (map_get(&t->by_tid, (uint64_t)r->pid << 32 | r->tid, &i))
		return &t->threads.data[i];
	if (t->threads.len >= THREADS_MAX)
		return NULL;
	map_set(&t->by_tid, (uint64_t)r->pid << 32 | r->tid, t->threads.len);
	th = vec_push(&t->threads);
	*th = (struct thread){.pid = r->pid, .tid = r->tid};
	name_tracks(t, th);
	return th;
}

/* ---- records ---- */

static bool is_or_ends_in(const char *name, const char *word)
{
	size_t n = strlen(name), w = strlen(word);

	return n >= w && strcmp(name + n - w, word) == 0 &&
	       (n == w || name[n - w - 1] == '-');
}

static void enter(struct timeline *t, struct thread *th, uint32_t probe)
{
	if (t->nopen >= OPEN_MAX) {
		t->nleft_out++;
		return;
	}
	put_begin(t, th, probe);
	*vec_push(&th->open) = probe;
	t->nopen++;
}

/* Ends the innermost open call of the function, and those that it made. */
/* args: what the picture says of the end. */
static void leave(struct timeline *t, struct thread *th, uint32_t probe,
		  const char *args)
{
	const char *module = name_of(t, probe, PROBE_MODULE);
	const char *function = name_of(t, probe, PROBE_FUNCTION);
	size_t i = th->open.len;

	while (i > 0 &&
	       (strcmp(name_of(t, th->open.data[i - 1], PROBE_FUNCTION), function) ||
		strcmp(name_of(t, th->open.data[i - 1], PROBE_MODULE), module)))
		i--;
	if (!i) {
		put_instant(t, th, probe, true);
		return;
	}
	while (th->open.len > i)
		put_end(t, th, th->last, ",\"args\":{\"return\":\"not recorded\"}");
	put_end(t, th, th->last, args);
}

void timeline_add(struct timeline *t, const struct record *r, const struct probe *p)
{
	const char *name = probes_name(t->probes, p, PROBE_NAME);
	struct thread *th;
	uint64_t time = r->time > t->start ? r->time - t->start : 0;

	if (!r->pid || p->id <= PROBE_ERROR)
		return;
	th = thread_of(t, r);
	if (!th) {
		t->nleft_out++;
		return;
	}
	/* a later clause of the same firing */
	if (th->last_probe == r->probe && r->epid > th->last_epid) {
		th->last_epid = r->epid;
		return;
	}
	th->last_probe = r->probe;
	th->last_epid = r->epid;
	/* A speculation that was committed comes late. */
	th->last = time > th->last ? time : th->last;
	t->last = th->last > t->last ? th->last : t->last;
	if (is_or_ends_in(name, "entry"))
		enter(t, th, r->probe);
	else if (is_or_ends_in(name, "return"))
		leave(t, th, r->probe, "");
	else if (strcmp(name, "unwound") == 0)
		leave(t, th, r->probe, ",\"args\":{\"return\":\"unwound\"}");
	else
		put_instant(t, th, r->probe, false);
}

uint64_t timeline_events(const struct timeline *t)
{
	return t->nevents;
}

uint64_t timeline_left_out(const struct timeline *t)
{
	return t->nleft_out;
}

static void release(struct timeline *t)
{
	for (size_t i = 0; i < t->threads.len; i++)
		vec_release(&t->threads.data[i].open);
	vec_release(&t->threads);
	map_release(&t->by_tid);
	map_release(&t->named);
	strbuf_release(&t->text);
	free(t);
}

bool timeline_end(struct timeline *t)
{
	int error;

	if (!t)
		return true;
	for (size_t i = 0; i < t->threads.len; i++)
		while (t->threads.data[i].open.len)
			put_end(t, &t->threads.data[i], t->last,
				",\"args\":{\"unfinished\":true}");
	/* every event ends in a comma */
	fputs("\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{\"by\":"
	      "\"dtrace\"}}\n"
	      "]}\n",
	      t->f);
	error = ferror(t->f) ? EIO : 0;
	if (fclose(t->f))
		error = errno;
	release(t);
	errno = error;
	return !error;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/recording/snapshot/snapshots.h"
#include "tracer/output/out.h"
#include "tracer/recording/write/recorder.h"
#include "tracer/records/sources.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"
#include "vm/base/host/vec.h"
#include "vm/program.h"
#include "vm/ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define BYTES_MAX (UINT64_C(256) << 20)	   /* of the records of one snapshot */
#define PATIENCE  20			   /* times to look at a ring that changes */
#define INTERVAL  (10 * UINT64_C(1000000)) /* a target can ask all the time */

/* A record among the copies. */
struct copy {
	uint64_t time;
	size_t at; /* copies lie in the order of their slots */
};

/* A process of -c or -p with its children; or 0, this process and the keeper. */
struct asker {
	int family;
	uint64_t nfiles;  /* that it has asked for */
	uint64_t last;	  /* the number of the last one */
	bool has_refused; /* it has asked for more, and that was said */
};

struct snapshots {
	const struct tracer *t;
	struct record_check *check;
	uint64_t written; /* files */
	uint64_t next_ns; /* not before */
	struct {
		struct asker *data;
		size_t len, cap;
	} askers;
	struct strbuf bytes;
	struct {
		struct copy *data;
		size_t len, cap;
	} copies;
	uint64_t nleft_out; /* slots of which not all could be copied */
	unsigned char record[RING_RECORD_MAX];
};

/* ---- life ---- */

static bool is_wanted(const void *image)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_ACTION); i++)
		if (program_action(image, i)->kind == ACTION_snapshot)
			return true;
	return false;
}

static char *path_of(const struct tracer *t, uint64_t number)
{
	struct strbuf path = {0};

	strbuf_printf(&path, "%s.%" PRIu64, t->options.recording, number);
	return path.data;
}

/* A file that stays of another run would be taken for one of this run. */
static int check_paths(const struct tracer *t, struct err *e)
{
	int rc = 0;

	for (uint64_t i = 1; i <= t->options.snapshots && !rc; i++) {
		char *path = path_of(t, i);
		struct stat st;

		if (lstat(path, &st) == 0)
			rc = err_set(e, STATUS_IO,
				     "%s, the file of a snapshot(), exists: remove it",
				     path);
		free(path);
	}
	return rc;
}

int snapshots_new(const struct tracer *t, const struct record_check_config *check,
		  struct snapshots **out, struct err *e)
{
	struct snapshots *s;

	*out = NULL;
	if (t->is_past || !is_wanted(t->image))
		return 0;
	if (!t->recorder || t->options.bufpolicy != BUFPOLICY_RING)
		return err_set(e, STATUS_UNSUP,
			       "snapshot() writes what a flight recorder holds: it "
			       "needs -x bufpolicy=ring and -E FILE");
	if (check_paths(t, e))
		return STATUS_IO;
	s = oom_calloc(1, sizeof(*s));
	s->t = t;
	s->check = record_check_new(check);
	*out = s;
	return 0;
}

void snapshots_free(struct snapshots *s)
{
	if (!s)
		return;
	record_check_free(s->check);
	strbuf_release(&s->bytes);
	vec_release(&s->copies);
	vec_release(&s->askers);
	free(s);
}

/* ---- copies of what the rings hold ---- */

static void keep(struct snapshots *s, const struct record *r)
{
	*vec_push(&s->copies) = (struct copy){r->time, s->bytes.len};
	strbuf_add(&s->bytes, r, r->size);
}

/*
 * Without gaps: if the owner forgets what is next, all before that is given up, too.
 * False: the owner forgets faster than that can be copied, or there is no room.
 */
static bool copy_ring(struct snapshots *s, const struct source *p)
{
	struct ring_look look = {
		.state = p->view->state, .slot = p->slot, .image = s->t->image};
	const struct record_origin from = p->origin;
	struct record *r = (void *)s->record;
	const size_t nbytes = s->bytes.len, n = s->copies.len;
	uint32_t restarts = 0;
	uint64_t last = 0;

	while (ring_look(&look, r, sizeof(s->record)) > 0) {
		if (look.restarts != restarts) {
			s->bytes.len = nbytes;
			s->copies.len = n;
			restarts = look.restarts;
		}
		if (!recorder_is_for(s->t->recorder, r) ||
		    !record_check_accepts(s->check, &from, r, &last))
			continue;
		if (s->bytes.len + r->size > BYTES_MAX)
			return false;
		keep(s, r);
	}
	return !look.is_cut;
}

/* A thread that was preempted while it forgot a record goes on in a moment. */
static void copy_source(struct snapshots *s, const struct source *p)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	const size_t nbytes = s->bytes.len, n = s->copies.len;

	for (int i = 0; i < PATIENCE; i++) {
		if (copy_ring(s, p))
			return;
		if (s->copies.len > n || i + 1 == PATIENCE)
			break;
		s->bytes.len = nbytes;
		nanosleep(&moment, NULL);
	}
	s->nleft_out++;
}

static int compare(const void *x, const void *y)
{
	const struct copy *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void copy_all(struct snapshots *s)
{
	const struct sources *from = s->t->sources;

	s->bytes.len = s->copies.len = 0;
	s->nleft_out = 0;
	sources_find(s->t->sources);
	for (size_t i = 0; i < from->list.len; i++)
		copy_source(s, from->list.data[i]);
	if (s->copies.len)
		qsort(s->copies.data, s->copies.len, sizeof(s->copies.data[0]),
		      compare);
}

/* ---- files ---- */

static void complain(const struct snapshots *s, const char *path, const char *why)
{
	out_failure(s->t->out, "snapshot(): failed to write %s: %s", path, why);
}

static void write_file(struct snapshots *s, const char *path)
{
	struct recorder *r = s->t->recorder;
	struct err e;

	if (recorder_snapshot_begin(r, path, &e)) {
		complain(s, path, e.text);
		return;
	}
	for (size_t i = 0; i < s->copies.len; i++)
		recorder_take(r, (const void *)(s->bytes.data + s->copies.data[i].at));
	if (recorder_snapshot_end(r, &e)) {
		complain(s, path, e.text);
		return;
	}
	out_notice(s->t->out, "snapshot: %zu event%s in %s", s->copies.len,
		   s->copies.len == 1 ? "" : "s", path);
	if (s->nleft_out)
		out_message(s->t->out,
			    "snapshot: %" PRIu64 " buffer%s changed too fast, or had "
			    "no room: not all of %s is in %s",
			    s->nleft_out, s->nleft_out == 1 ? "" : "s",
			    s->nleft_out == 1 ? "it" : "them", path);
}

/* ---- who asks ---- */

static bool asks(const struct snapshots *s, struct view *v)
{
	return v->snapshots != state_snapshots(v->state) &&
	       sources_believe(s->t->sources, v, REQUEST_SNAPSHOT);
}

static bool are_asked(const struct snapshots *s)
{
	for (size_t i = 0; i < s->t->sources->views.len; i++)
		if (asks(s, s->t->sources->views.data[i]))
			return true;
	return false;
}

uint64_t snapshots_wakeup(const struct snapshots *s)
{
	return s && are_asked(s) ? s->next_ns : UINT64_MAX;
}

static struct asker *asker_of(struct snapshots *s, int family)
{
	struct asker *a;

	for (size_t i = 0; i < s->askers.len; i++)
		if (s->askers.data[i].family == family)
			return &s->askers.data[i];
	a = vec_push(&s->askers);
	*a = (struct asker){.family = family};
	return a;
}

static void refuse(const struct snapshots *s, struct asker *a)
{
	struct strbuf who = {0};

	if (a->has_refused)
		return;
	a->has_refused = true;
	if (a->family)
		strbuf_printf(&who, " for process %d", a->family);
	out_message(s->t->out,
		    "snapshot() is called once more%s: -x snapshots=%" PRIu64
		    " allows no more files",
		    who.data ? who.data : "", s->t->options.snapshots);
	strbuf_release(&who);
}

/* The view has called snapshot(). Whether it gets the next file. */
static bool grant(struct snapshots *s, const struct view *v)
{
	struct asker *a = asker_of(s, v->family);

	if (a->last == s->written + 1)
		return true;
	if (a->nfiles >= s->t->options.snapshots) {
		refuse(s, a);
		return false;
	}
	a->nfiles++;
	a->last = s->written + 1;
	return true;
}

/* Calls that come from now on have another snapshot. Whether there is to be this one. */
static bool note_calls(struct snapshots *s)
{
	bool is_granted = false;

	for (size_t i = 0; i < s->t->sources->views.len; i++) {
		struct view *v = s->t->sources->views.data[i];
		bool is_asked = asks(s, v);

		v->snapshots = state_snapshots(v->state);
		if (is_asked)
			is_granted |= grant(s, v);
	}
	return is_granted;
}

/* They forget again. */
static void release_rings(struct snapshots *s)
{
	for (size_t i = 0; i < s->t->sources->views.len; i++) {
		struct view *v = s->t->sources->views.data[i];

		state_serve_snapshots(v->state, v->snapshots);
	}
}

void snapshots_serve(struct snapshots *s, uint64_t now_ns)
{
	bool is_granted;
	char *path;

	if (!s || now_ns < s->next_ns || !are_asked(s))
		return;
	s->next_ns = now_ns + INTERVAL;
	is_granted = note_calls(s);
	if (is_granted)
		copy_all(s);
	release_rings(s);
	if (!is_granted)
		return;
	path = path_of(s->t, ++s->written);
	write_file(s, path);
	free(path);
}

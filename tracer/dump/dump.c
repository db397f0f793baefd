/* SPDX-License-Identifier: MIT */
#include "tracer/dump/dump.h"
#include "tracer/dump/core_file.h"

#include "tracer/base/patience.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/background.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"
#include "vm/base/text/shown.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STUCK_NS UINT64_C(5000000000) /* without progress: it is given up */

struct dump {
	uint64_t number;
	struct core_out out;  /* not open: not wanted */
	char *context, *path; /* owned */
	struct core_source source;
	bool has_copy; /* source is filled; its descriptors are owned */
	bool is_started, is_over, is_dropped;
	pthread_t thread;
	_Atomic uint64_t progress;
	atomic_bool is_done, is_cancelled;
	struct err e; /* e.status 0: it is written */
};

struct dumps {
	struct link *link;
	struct out *out;
	struct {
		struct dump **data;
		size_t len, cap;
	} list;
};

struct dumps *dumps_new(struct link *link, struct out *out)
{
	struct dumps *d = oom_calloc(1, sizeof(*d));

	d->link = link;
	d->out = out;
	return d;
}

static void close_all(struct dump *x)
{
	core_out_close(&x->out);
	if (x->has_copy) {
		close(x->source.mem);
		close(x->source.notes);
	}
	x->has_copy = false;
}

void dumps_free(struct dumps *d)
{
	for (size_t i = 0; d && i < d->list.len; i++) {
		struct dump *x = d->list.data[i];

		/* One that hangs in the kernel still uses it. */
		if (x->is_started && !x->is_over)
			continue;
		close_all(x);
		free(x->context);
		free(x->path);
		free(x);
	}
	if (d)
		vec_release(&d->list);
	free(d);
}

static struct dump *dump_of(struct dumps *d, uint64_t number)
{
	struct dump *x;

	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i]->number == number)
			return d->list.data[i];
	x = oom_calloc(1, sizeof(*x));
	x->number = number;
	x->out = CORE_OUT_NONE;
	*vec_push(&d->list) = x;
	return x;
}

/* ---- writing ---- */

static void *write_core(void *arg)
{
	struct dump *x = arg;

	x->e.status = STATUS_OK;
	core_file_write(&x->source, x->out.fd, &x->progress, &x->is_cancelled, &x->e);
	atomic_store(&x->is_done, true);
	return NULL;
}

static void end_copy(struct dumps *d, const struct dump *x)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_DUMPED, .pid = x->source.copy}};
	struct err e;

	if (x->has_copy && d->link->fd >= 0)
		link_call(d->link, &req, NULL, NULL, &e);
}

static void end(struct dumps *d, struct dump *x)
{
	struct strbuf path = {0};

	end_copy(d, x);
	x->is_over = true;
	if (!x->e.status && x->is_started)
		core_out_keep(&x->out, &x->e);
	if (x->e.status && x->context) {
		shown_add(&path, x->path, strlen(x->path), SHOWN_NAME);
		out_failure(d->out, "%scouldn't dump() \"%s\": %s\n", x->context,
			    path.data, x->e.text);
		core_out_remove(&x->out); /* half a core is of no use */
	}
	strbuf_release(&path);
	close_all(x);
}

static void start(struct dumps *d, struct dump *x)
{
	if (x->out.fd < 0 || x->is_started || x->is_over)
		return;
	if (x->e.status) {
		end(d, x);
		return;
	}
	if (!x->has_copy)
		return;
	errno = thread_start(&x->thread, THREAD_STACK, write_core, x);
	if (errno) {
		err_errno(&x->e, STATUS_IO, "cannot start a thread");
		end(d, x);
		return;
	}
	x->is_started = true;
}

bool dumps_want(struct dumps *d, uint64_t number, struct core_out out,
		const char *context, const char *path)
{
	struct dump *x = dump_of(d, number);

	if (x->context || x->is_dropped) {
		core_out_close(&out);
		return false;
	}
	x->out = out;
	x->context = oom_strdup(context);
	x->path = oom_strdup(path);
	start(d, x);
	return true;
}

void dumps_drop(struct dumps *d, uint64_t number)
{
	struct dump *x = dump_of(d, number);

	if (x->context || x->is_dropped)
		return;
	x->is_dropped = true;
	if (x->has_copy)
		end(d, x);
}

void dumps_event(struct dumps *d, const struct link_message *event)
{
	const struct keeper_msg *msg = &event->msg;
	struct dump *x = dump_of(d, msg->copy.number);

	if (event->fd < 0 || event->second < 0) {
		link_close_descriptors(event);
		err_set(&x->e, STATUS_GONE, "%s", msg->text);
	} else if (!x->is_over) {
		x->source = (struct core_source){msg->pid, msg->copy.copy, event->fd,
						 event->second};
		x->has_copy = true;
	}
	if (x->is_dropped && x->has_copy)
		end(d, x);
	start(d, x);
}

bool dumps_turn(struct dumps *d)
{
	bool all = true;

	for (size_t i = 0; i < d->list.len; i++) {
		struct dump *x = d->list.data[i];

		if (x->is_started && !x->is_over && atomic_load(&x->is_done)) {
			pthread_join(x->thread, NULL);
			end(d, x);
		}
		all &= x->is_over || !x->is_started;
	}
	return all;
}

static uint64_t total_progress(const struct dumps *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->list.len; i++)
		sum += atomic_load(&d->list.data[i]->progress) +
		       d->list.data[i]->is_over;
	return sum;
}

static void give_up(struct dumps *d)
{
	for (size_t i = 0; i < d->list.len; i++)
		atomic_store(&d->list.data[i]->is_cancelled, true);
}

/* A record whose copy was never announced: the keeper has died. */
static void end_orphans(struct dumps *d)
{
	for (size_t i = 0; i < d->list.len; i++) {
		struct dump *x = d->list.data[i];

		if (x->out.fd < 0 || x->is_started || x->is_over)
			continue;
		err_set(&x->e, STATUS_GONE, "the keeper process has died");
		end(d, x);
	}
}

void dumps_finish(struct dumps *d)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	struct patience_wait outer = patience_begin(AWAITED_DUMPS);
	uint64_t progress = 0, since = clock_now_ns();

	while (!dumps_turn(d)) {
		uint64_t now = total_progress(d);
		bool is_stuck = clock_now_ns() - since > STUCK_NS;

		if (now != progress)
			since = clock_now_ns();
		progress = now;
		if (patience_is_over() || is_stuck)
			give_up(d);
		if (is_stuck && clock_now_ns() - since > 2 * STUCK_NS)
			break; /* it hangs in the kernel */
		nanosleep(&pause, NULL);
	}
	patience_end(outer);
	end_orphans(d);
}

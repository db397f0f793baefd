/* SPDX-License-Identifier: MIT */
/*
 * Tracing: from BEGIN to the last line.
 *
 *	enable -> BEGIN -> targets run -> loop -> release targets -> END -> print
 *
 * The loop waits for events of the keeper, for the next tick and for signals; between
 * them the consumer prints. No target waits for this loop, except those that are held.
 */
#include "hook/resident.h"
#include "tracer/base/patience.h"
#include "tracer/base/probe_table.h"
#include "tracer/cross/cross.h"
#include "tracer/cost/overhead.h"
#include "tracer/distrust.h"
#include "tracer/dump/dump.h"
#include "tracer/emit/emit.h"
#include "tracer/end_report.h"
#include "tracer/events/events.h"
#include "tracer/events/origin.h"
#include "tracer/explain/explain_sites.h"
#include "tracer/export/export.h"
#include "tracer/export/metrics.h"
#include "tracer/jit/jit.h"
#include "tracer/futex_eventfd.h"
#include "tracer/live/top.h"
#include "tracer/mapped/mapped.h"
#include "tracer/consume/consume.h"
#include "tracer/never_fired.h"
#include "tracer/records/sources.h"
#include "tracer/output/progress.h"
#include "tracer/output/ustack.h"
#include "tracer/pictures/pictures.h"
#include "tracer/providers/generated.h"
#include "tracer/providers/prov_diag.h"
#include "tracer/providers/prov_hwconfig.h"
#include "tracer/providers/siteless.h"
#include "tracer/run_checks.h"
#include "tracer/run_guard.h"
#include "tracer/run_signals.h"
#include "tracer/recording/snapshot/snapshots.h"
#include "tracer/recording/write/recorder.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/targets/family.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/site_batch.h"
#include "tracer/targets/target.h"
#include "tracer/targets/target_event.h"
#include "tracer/ticks.h"
#include "tracer/trace.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/vec.h"
#include "vm/record.h"
#include "vm/vm.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_MSEC UINT64_C(1000000)
#define PASS_INTERVAL (100 * NSEC_PER_MSEC) /* of the consumer, at most */
#define HOLD_BACK     (2 * NSEC_PER_MSEC)   /* newer records wait for the next pass */

#define STATUS_OF_SIGPIPE (128 + SIGPIPE) /* as a shell shows it */

struct run {
	struct tracer *t;
	struct ticks ticks;
	struct futex_eventfd full;
	struct metrics *metrics;     /* NULL: none are served */
	struct snapshots *snapshots; /* NULL: no clause asks for any */
	struct events *events;	     /* of the kernel; NULL: no probe needs them */
	uint64_t next_pass, next_status;
	uint64_t next_snapshot; /* snapshot_after() the last one */
	uint64_t deadline;	/* option `duration`; UINT64_MAX: none */
	struct run_signals signals;
	struct top *top; /* --top, while the terminal is its own; or NULL */
	uint64_t next_draw;
	bool is_left;	/* the user has ended the run from there */
	bool is_broken; /* the output has failed, and that was said */
	bool failed;	/* tracing ends; a message has been printed; the status is 1 */
	bool failed_late;  /* the same, but the rest is printed */
	bool has_run;	   /* the targets have run traced */
	bool is_looping;   /* they do so now */
	bool is_releasing; /* release_soon() */
};

static void print_clamp(void *ctx, const char *text)
{
	const struct tracer *t = ctx;

	out_message(t->out, "%s", text);
}

/* print() of the consumer. */
static void print_typed(void *ctx, uint32_t action, const struct printed *p,
			struct strbuf *text)
{
	const struct tracer *t = ctx;
	struct dlang_value v = {.bytes = p->bytes,
				.n = p->n,
				.pieces = p->pieces,
				.limit = (size_t)t->options.printsize,
				.form = p->is_json ? DLANG_PRINT_JSON
					: t->options.printnatural
						? DLANG_PRINT_NATURAL
						: DLANG_PRINT_CLASSIC};

	dlang_print(t->dlang, action, &v, text);
}

/* fires_inside() of the consumer. */
static bool fires_inside(void *ctx, uint32_t pid, const struct probe *p)
{
	return target_records(ctx, pid, p);
}

static struct export_config export_config_of(const struct tracer *t)
{
	return (struct export_config){
		.image = t->image,
		.probes = &t->probes,
		.options = &t->options,
		.ustack = t->ustack,
		.out = t->out,
	};
}

/* The form of the output that an option asks for; NULL: text. */
static struct form *make_form(const struct tracer *t)
{
	const struct export_config config = export_config_of(t);

	return export_new(&config);
}

/* printed() of the consumer. */
static void on_printed(void *ctx, const struct record *r, const struct probe *p)
{
	const struct tracer *t = ctx;

	pictures_record(t->pictures, t->consumer, r, p);
}

/* recorded() of the consumer. */
static bool on_recorded(void *ctx, const struct record *r)
{
	const struct tracer *t = ctx;

	return recorder_take(t->recorder, r);
}

/* lost() of the consumer. */
static void on_lost(void *ctx, enum drop kind, uint64_t n)
{
	const struct tracer *t = ctx;

	if (kind == DROP_records || kind == DROP_events)
		recorder_lost(t->recorder, n);
	prov_diag_fire_lost(ctx, kind, n);
}

/* removed() of the consumer. */
static void on_removed(void *ctx, const struct agg_value *x)
{
	const struct tracer *t = ctx;

	pictures_removed(t->pictures, x);
}

static bool is_clock(void *ctx, const struct probe *p)
{
	return provider_source(ctx, p).by == SOURCE_CLOCK;
}

/* The program of a target, for pictures; NULL: it is not known. */
static const char *process_name(void *ctx, uint32_t pid)
{
	const struct tracer *t = ctx;

	for (size_t i = t->targets.len; i-- > 0;) {
		const struct modules *ms = t->targets.data[i]->modules;

		if ((uint32_t)t->targets.data[i]->pid != pid)
			continue;
		for (size_t k = 0; ms && k < ms->len; k++)
			if (ms->data[k]->is_exe)
				return ms->data[k]->name;
	}
	return NULL;
}

static int open_pictures(struct tracer *t, struct err *e)
{
	const struct pictures_config config = {
		.options = &t->options,
		.image = t->image,
		.probes = &t->probes,
		.process_name = process_name,
		.is_clock = is_clock,
		.ctx = t,
	};

	return pictures_open(&config, &t->pictures, e);
}

static int open_metrics(struct run *r, struct err *e)
{
	const struct export_config config = export_config_of(r->t);

	if (!r->t->options.metrics)
		return 0;
	return metrics_open(&r->metrics, &config, r->t->consumer, e);
}

static int open_snapshots(struct run *r, struct err *e)
{
	const struct record_check_config config = {
		.image = r->t->image,
		.probes = &r->t->probes,
		.fires_inside = fires_inside,
		.ctx = r->t,
	};

	return snapshots_new(r->t, &config, &r->snapshots, e);
}

/* Whether a fault may name the function that a probed one ends in a call of. */
static bool may_name_callee(const struct tracer *t)
{
	for (size_t i = 0; i < t->specs.len; i++) {
		const struct trace_spec *s = &t->specs.data[i];

		if ((!*s->field[3] || glob_match(s->field[3], "return")) &&
		    program_arguments(t->image, program_clause(t->image, s->clause)) >
			    1)
			return true;
	}
	return false;
}

static int enable(struct tracer *t, struct err *e)
{
	struct consumer_config config = {
		.command = t->command,
		.image = t->image,
		.probes = &t->probes,
		.options = &t->options,
		.out = t->out,
		.print = print_typed,
		.is_past = t->is_past,
		.lost = on_lost,
		.fires_inside = fires_inside,
		.ctx = t,
	};
	struct keeper_stop_cost stop = {0};
	int rc = run_checks(t, e);

	rc = rc ? rc : emitter_open(t->image, &t->emitter, e);
	rc = rc ? rc : open_pictures(t, e);
	if (rc == 0)
		rc = trace_make_buffers(t, e);
	if (rc == 0)
		rc = trace_send_buffers(t, &stop, e);
	if (rc == 0)
		rc = overhead_begin(t, stop, e);
	rc = rc ? rc : trace_send_python(t, e);
	if (rc)
		return rc;
	distrust_begin(t);
	trace_note_shell(t);
	trace_note_python(t);
	t->wants_rows = t->wants_frames || cfi_rows_are_wanted(t->image);
	if (cfi_rows_names_are_wanted(t->image) || may_name_callee(t))
		trace_make_names(t);
	config.ustack = t->ustack;
	config.form = t->form = make_form(t);
	options_clamp(&t->options, print_clamp, t);
	t->options.is_active = true;
	config.sources = t->sources;
	if (t->recorder)
		config.recorded = on_recorded;
	if (pictures_want_records(t->pictures)) {
		config.printed = on_printed;
		config.removed = on_removed;
	}
	config.dumps = t->dumps = dumps_new(&t->link, t->out);
	config.emitter = t->emitter;
	t->consumer = consumer_new(&config);
	host_env_init(&t->host, t->image, t->state, t->command);
	probes_drop_indexes(&t->probes); /* most programs get no probes later */
	return probe_table_update(t, e);
}

/* The output has failed: errno. Said once; not if the user has given up its reader. */
static void note_failed_output(struct run *r, const char *what)
{
	bool is_left =
		errno == EPIPE && r->signals.is_silent && r->t->out->original < 0;

	if (!r->is_broken && !is_left && !patience_gave_up(AWAITED_READER))
		out_message(r->t->out, "%s: %s", what, strerror(errno));
	r->is_broken = r->failed = true;
	r->signals.is_silent = is_left;
}

/*
 * Prints what there is to print now. Records are taken even if the output has failed:
 * they may also go to other files.
 */
static void consume(struct run *r, uint64_t hold_back)
{
	/* With other policies everything is printed at the end. */
	if (hold_back && !state_is_consumed(r->t->state))
		return;
	do
		if (consumer_pass(r->t->consumer, hold_back))
			note_failed_output(r, "processing aborted");
	while (!hold_back && consumer_is_behind(r->t->consumer));
	r->failed |= !recorder_round(r->t->recorder);
}

static uint64_t next_wakeup(const struct run *r)
{
	uint64_t at = min_u64(min_u64(r->next_pass, r->next_status), r->next_snapshot);

	at = min_u64(at, r->deadline);
	at = min_u64(at, r->next_draw);
	at = min_u64(at, pictures_wakeup(r->t->pictures));
	at = min_u64(at, jit_wakeup(r->t->jit));
	at = min_u64(at, generated_wakeup(r->t));
	at = min_u64(at, mapped_wakeup(r->t));
	return min_u64(at, ticks_next(&r->ticks));
}

/* A target stops its own address space only; see REQUEST_STOP for when that counts. */
static bool is_stopped(const struct tracer *t)
{
	return state_is_stopped(t->state) || sources_are_stopped(t->sources);
}

static void note_exit(struct tracer *t)
{
	t->has_exited |= !t->is_released && is_stopped(t);
}

static void serve_keeper(struct run *r)
{
	struct link_message event;
	int rc;

	while ((rc = link_event(&r->t->link, &event)) > 0) {
		note_exit(r->t);
		if (event.msg.type == KEEPER_EV_COPY)
			dumps_event(r->t->dumps, &event);
		else if (event.msg.type == KEEPER_EV_HOLD &&
			 (event.msg.hold.mapped.hi.v || event.msg.hold.is_often))
			mapped_event(r->t, &event.msg);
		else
			target_event(r->t, &event);
	}
	if (rc == STATUS_LINK) {
		out_message(r->t->out,
			    "the keeper process has died: targets run on untraced");
		keeper_death_restore_breakpoints(r->t);
		state_release_claims(r->t->state, STATE_SLOT_KEEPER);
		link_bury(&r->t->link);
		keeper_death_restore_jumps(r->t);
		r->failed = true;
	}
}

static bool is_over(struct run *r)
{
	struct tracer *t = r->t;

	if (r->failed || r->is_left || tracer_is_interrupted(t) || is_stopped(t))
		return true;
	return targets_named(t) && !targets_alive(t);
}

/* The next slot that fills up wakes the loop. */
static void arm(struct run *r)
{
	const struct sources *s = r->t->sources;

	for (size_t i = 0; i < s->views.len; i++)
		futex_eventfd_add(&r->full, state_sleeper(s->views.data[i]->state));
	futex_eventfd_arm(&r->full);
}

/* Sleeps until something is due. Signals are blocked between the test and the sleep. */
static void wait_for_more(struct run *r)
{
	const struct link *link = &r->t->link;
	uint64_t now = clock_now_ns();
	uint64_t at = min_u64(min_u64(next_wakeup(r), snapshots_wakeup(r->snapshots)),
			      events_wakeup(r->events, now));
	struct pollfd p[] = {{.fd = link->fd, .events = POLLIN},
			     {.fd = r->full.fd, .events = POLLIN},
			     {.fd = r->top ? STDIN_FILENO : -1, .events = POLLIN},
			     {.fd = metrics_fd(r->metrics), .events = POLLIN},
			     {.fd = events_fd(r->events, now), .events = POLLIN}};
	uint64_t wait = min_u64(at > now ? at - now : 0, metrics_wait(r->metrics));
	struct timespec ts = {(time_t)(wait / (1000 * NSEC_PER_MSEC)),
			      (long)(wait % (1000 * NSEC_PER_MSEC))};

	sigprocmask(SIG_BLOCK, &r->signals.caught, NULL);
	arm(r);
	if (!is_over(r) && link->events.len == 0 &&
	    snapshots_wakeup(r->snapshots) >= at)
		ppoll(p, ARRAY_LEN(p), &ts, &r->signals.unblocked);
	futex_eventfd_disarm(&r->full);
	if (p[1].revents)
		r->next_pass = 0;
	r->is_left |= (p[2].revents & (POLLHUP | POLLERR)) != 0;
	sigprocmask(SIG_SETMASK, &r->signals.unblocked, NULL);
}

/* When aggsize is to count from zero again; never for a program without aggregations. */
static uint64_t snapshot_after(const struct tracer *t, uint64_t now)
{
	return program_count(t->image, SECTION_AGG) ? now + t->options.aggrate
						    : UINT64_MAX;
}

#define DRAW_INTERVAL (100 * NSEC_PER_MSEC) /* not more often */

/* Takes the terminal for --top. */
static void begin_top(struct run *r)
{
	struct tracer *t = r->t;
	struct err e;

	r->next_draw = UINT64_MAX;
	if (!t->options.top)
		return;
	if (top_begin(&r->top, t->consumer, t->ustack, &e)) {
		out_message(t->out, "%s", e.text);
		r->failed = true;
		return;
	}
	out_hold(t->out);
	r->next_draw = 0;
}

static void serve_top(struct run *r, uint64_t now)
{
	if (!r->top)
		return;
	r->is_left |= top_keys(r->top);
	if (now < r->next_draw)
		return;
	top_draw(r->top);
	r->next_draw = now + max_u64(r->t->options.aggrate, DRAW_INTERVAL);
}

static void end_top(struct run *r)
{
	top_end(r->top);
	r->top = NULL;
	out_release(r->t->out);
}

/* What is to be done from time to time. */
static void keep_house(struct run *r, uint64_t now)
{
	struct tracer *t = r->t;

	if (now >= r->next_snapshot) {
		sources_keep_aggregations(t->sources);
		r->next_snapshot = snapshot_after(t, now);
	}
	overhead_turn(t, now);
	jit_turn(t->jit, now);
	generated_turn(t, now);
	mapped_turn(t, now);
	dumps_turn(t->dumps);
	keeper_wake_for_dead(t);
	serve_top(r, now);
	pictures_serve(t->pictures, t->consumer, now);
	if (now >= r->next_status) {
		consumer_report_drops(t->consumer);
		r->next_status = now + t->options.statusrate;
	}
}

/* The clock of --for begins when all probes are ready, not before those of ticks: a tick
 * of the same time still fires. */
static void start_clocks(struct run *r)
{
	const struct tracer *t = r->t;
	uint64_t duration = t->options.duration, now;

	ticks_start(&r->ticks, t);
	now = t->host.past.is_set ? t->host.past.now : clock_now_ns();
	r->deadline =
		duration && duration < UINT64_MAX - now ? now + duration : UINT64_MAX;
	if (!t->host.past.is_set && r->deadline != UINT64_MAX)
		patience_end_at(r->deadline);
}

/* Fires what is due. The end of --for is like exit(0) in the last of the ticks. */
static void serve_clocks(struct run *r, uint64_t now)
{
	ticks_fire(&r->ticks, r->t, now);
	if (now >= r->deadline)
		state_stop(r->t->state);
}

static void loop(struct run *r)
{
	struct tracer *t = r->t;

	r->is_looping = true;
	while (!is_over(r)) {
		uint64_t now;

		wait_for_more(r);
		serve_keeper(r);
		metrics_serve(r->metrics);
		now = clock_now_ns();
		events_serve(r->events, now);
		serve_clocks(r, now);
		snapshots_serve(r->snapshots, now);
		if (state_wants_wait(t->state, STATE_SLOT_FRONT))
			r->next_pass = now;
		if (now >= r->next_pass) {
			consume(r, now - HOLD_BACK);
			r->next_pass = now;
			if (!consumer_is_behind(t->consumer))
				r->next_pass +=
					min_u64(t->options.switchrate, PASS_INTERVAL);
		}
		if (!r->is_releasing)
			keep_house(r, now);
	}
	r->is_looping = false;
}

/* Of a gap in a recording in which more turns than this fall, one remains. */
#define GAP_TURNS 1000000

/* The recording's time passes as fast as the clauses run. */
static void replay(struct run *r)
{
	struct host_past *past = &r->t->host.past;
	enum replayed done = REPLAYED_SOME;
	uint64_t turns = 0;

	while (done != REPLAYED_ALL && !is_over(r)) {
		uint64_t tick = turns < GAP_TURNS ? ticks_next(&r->ticks) : UINT64_MAX;
		uint64_t limit = min_u64(tick, r->deadline);

		done = events_replay(r->events, limit);
		turns = done == REPLAYED_TO_LIMIT ? turns + 1 : 0;
		if (done == REPLAYED_TO_LIMIT)
			past->now = limit;
		serve_clocks(r, past->now);
		consume(r, UINT64_MAX);
		while (consumer_is_behind(r->t->consumer) && !is_over(r))
			consume(r, UINT64_MAX);
		metrics_serve(r->metrics);
		keep_house(r, clock_now_ns());
	}
}

/* Sends the sites and lets the targets run. */
static int start_targets(struct tracer *t, struct err *e)
{
	int rc = siteless_send(t, e);
	size_t n = t->targets.len; /* without those that family_attach() adds */

	overhead_start(t, 0);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct target *target = t->targets.data[i];

		if (!target->alive)
			continue;
		progress_begin(t);
		target->active = true;
		if (t->options.follow || target->follows)
			rc = target_follow(t, target, e);
		if (rc == 0) {
			mapped_watch(t, target);
			rc = site_batch_send(t, target, e);
		}
		if (rc == 0)
			mapped_begin(target);
		if (rc == 0)
			rc = target_resume(t, target, e);
		if (rc == 0 && !target->created &&
		    (t->options.follow == FOLLOW_ALL || target->follows))
			family_attach(t, target);
		if (rc == STATUS_GONE) /* an event will report its exit */
			rc = 0;
	}
	progress_end(t);
	overhead_start(t, n);
	return rc;
}

/* The keeper waits for threads that sleep in the kernel; dtrace does not. */
static void note_sleepers(struct tracer *t, uint32_t n)
{
	t->link.is_detained = true;
	out_notice(t->out, "%u thread%s in the kernel: detached when %s", n,
		   n == 1 ? " sleeps" : "s sleep", n == 1 ? "it wakes" : "they wake");
}

/*
 * The end begins while the consumer waits for a reader of the output or a command: the
 * targets do not wait for that.
 */
static bool release_soon(void *ctx)
{
	struct run *r = ctx;
	struct link_request req = {.msg = {.type = KEEPER_REQ_RELEASE}};
	struct link *link = &r->t->link;
	struct err e;

	if (!r->is_looping || link->is_calling)
		return false;
	if (link->fd < 0)
		return true;
	note_exit(r->t);
	state_stop(r->t->state);
	r->is_releasing = link_send_ahead(link, &req, &e) == 0;
	return true;
}

static int request_release(struct run *r, struct keeper_msg *reply, struct err *e)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_RELEASE}};

	return r->is_releasing ? link_wait_ahead(&r->t->link, reply, e)
			       : link_call(&r->t->link, &req, reply, NULL, e);
}

/* Every target is restored and runs on; nothing fires after this. */
static void release_targets(struct run *r)
{
	struct keeper_msg reply = {0};
	struct err e;
	int rc;

	if (r->t->link.fd < 0)
		return;
	note_exit(r->t);
	state_stop(r->t->state);
	sources_renew(r->t->sources);
	rc = request_release(r, &reply, &e);
	if (rc && rc != STATUS_BUSY) { /* end_report_given_up() says that */
		out_message(r->t->out, "couldn't stop tracing: %s", e.text);
		r->failed = true;
	}
	r->t->is_released = true;
	if (reply.release_reply.nsleeping > 0)
		note_sleepers(r->t, reply.release_reply.nsleeping);
	/* The keeper's process may stay for them. */
	r->t->link.is_detained |= reply.release_reply.nlost > 0;
	serve_keeper(r);
	distrust_report(r->t, &reply.release_reply.liars);
	end_report_fpid(r->t, &reply.release_reply);
	cross_note_hits(r->t->cross, &reply.release_reply);
	if (r->has_run && !r->failed)
		never_fired_report(r->t, &reply.release_reply);
}

static int finish(struct run *r)
{
	struct tracer *t = r->t;
	int status = 0;

	patience_begin_end();
	if (tracer_is_signalled(t))
		consumer_put_newline(t->consumer);
	overhead_stop(t);
	events_stop(r->events);
	release_targets(r);
	snapshots_serve(r->snapshots, UINT64_MAX);
	sources_end(t->sources, 0);
	prov_diag_end(t);
	end_report_stacks(t);
	end_report_awaited(t);
	host_env_fire(&t->host, PROBE_END, VM_FIRE_END);
	consume(r, 0);
	consumer_report_drops(t->consumer);
	end_report_waits(t);
	if (t->pictures)
		r->failed |=
			!pictures_write(t->pictures, t->consumer, t->ustack, t->out);
	if (t->cross && !r->failed)
		r->failed = !cross_write(t->cross, t);
	consumer_put_newline(t->consumer);
	if (consumer_print_aggregations(t->consumer))
		note_failed_output(r, "failed to print aggregations");
	overhead_print(t);
	if (out_flush(t->out))
		note_failed_output(r, "processing aborted");
	dumps_finish(t->dumps);
	r->failed |= !recorder_end(t->recorder);
	r->failed_late |= end_report_given_up(t);
	if (r->is_broken && r->signals.is_silent)
		return STATUS_OF_SIGPIPE;
	if (r->failed || r->failed_late || t->out->has_failed)
		return 1;
	return consumer_exit_status(t->consumer, &status) ? status & 0xff : 0;
}

static int check_top(const struct tracer *t, struct err *e)
{
	const char *refusal = t->options.top ? top_refusal(t->out->fd) : NULL;

	return refusal ? err_set(e, STATUS_UNSUP, "%s", refusal) : 0;
}

int trace_run(struct tracer *t)
{
	struct run r = {.t = t, .full = {.fd = -1}};
	struct err e;
	int status;

	if (check_top(t, &e) || open_snapshots(&r, &e) || enable(t, &e) ||
	    open_metrics(&r, &e) || events_open(t, &r.events, &e)) {
		out_message(t->out, "could not enable tracing: %s", e.text);
		events_close(r.events);
		snapshots_free(r.snapshots);
		return 1;
	}
	run_signals_catch(t, &r.signals);
	patience_open(release_soon, &r);
	run_guard_start(t, &r.signals.caught);
	t->watch_mappings = mapped_watch;
	recorder_begin(t, r.events);
	host_env_fire(&t->host, PROBE_BEGIN, VM_FIRE_BEGIN);
	prov_hwconfig_fire(t);
	consume(&r, t->origin->is_past ? UINT64_MAX : clock_now_ns());
	events_start(r.events);
	/* An interrupt of the terminal ends the targets as well: then what fails is no
	 * error, and END fires. */
	if (!state_is_stopped(t->state) && start_targets(t, &e) &&
	    !tracer_is_interrupted(t)) {
		out_message(t->out, "could not enable tracing: %s", e.text);
		serve_keeper(&r); /* it may have died with some sites installed */
		metrics_close(r.metrics);
		events_close(r.events);
		snapshots_free(r.snapshots);
		return 1;
	}
	if (state_nslots(t->state) > STATE_SLOT_FIRST_THREAD || r.snapshots ||
	    t->options.bufpolicy == BUFPOLICY_WAIT)
		futex_eventfd_open(&r.full);
	run_guard_note_results();
	r.has_run = !state_is_stopped(t->state) && !tracer_is_interrupted(t);
	start_clocks(&r);
	r.next_status = clock_now_ns() + t->options.statusrate;
	r.next_snapshot = snapshot_after(t, clock_now_ns());
	begin_top(&r);
	pictures_start(t->pictures, clock_now_ns());
	if (t->origin->is_past)
		replay(&r);
	else
		loop(&r);
	r.failed_late = trace_report_damage(t, r.events);
	end_top(&r);
	metrics_close(r.metrics);
	status = finish(&r);
	events_close(r.events);
	snapshots_free(r.snapshots);
	futex_eventfd_close(&r.full);
	ticks_release(&r.ticks);
	return status;
}

int trace_explain(struct tracer *t)
{
	struct explained x;
	struct err e;
	int rc = enable(t, &e);

	if (rc == 0) {
		state_stop(t->state);
		explain_begin(t, &x);
		for (size_t i = 0; i < t->targets.len && rc == 0; i++)
			if (t->targets.data[i]->alive)
				rc = site_batch_send(t, t->targets.data[i], &e);
		explain_end(&x);
	}
	if (rc)
		out_message(t->out, "could not enable tracing: %s", e.text);
	return rc ? 1 : 0;
}

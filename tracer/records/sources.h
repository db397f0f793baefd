/* SPDX-License-Identifier: MIT */
/*
 * Where records and aggregations come from: the slots of all state blocks (vm/state.h).
 *
 *	view: home         sources: dtrace, the keeper, the archive
 *	view: a process    sources: its threads
 *	view: a process	   ...
 *
 * A process's view is added when its resident code is installed. It ends when nothing
 * writes to it any more: at the exit or exec of the process. Then what is in it is
 * consumed, its aggregations are moved to the archive, and it is unmapped.
 */
#ifndef TRACER_RECORDS_SOURCES_H
#define TRACER_RECORDS_SOURCES_H

#include "tracer/records/costs.h"
#include "tracer/records/drop_counts.h"
#include "tracer/records/stage.h"
#include "tracer/trust/requests.h"
#include "vm/base/host/claim.h"
#include "vm/state.h"

struct view {
	struct state *state; /* owned, but for home */
	uint64_t size;
	int file; /* of the exchange; -1: home */
	int pid;  /* of the process whose threads write to it; 0: home */
	/* Limits are for all of a family: the process of -c or -p that it descends from,
	 * set by the caller; 0: home. */
	int family;
	bool is_ended;
	uint32_t snapshots; /* state_snapshots() that have been served */
	struct request_grants grants;
	bool lies;	 /* one of its counters was impossible: none is believed */
	bool is_damaged; /* an aggregation in it; that was said */
	/*
	 * Bytes of records that may still be taken: nothing that has ended holds more
	 * than the memory it has.
	 */
	uint64_t left;
	struct {
		struct source **data; /* by slot */
		size_t len, cap;
	} sources;
};

/* One slot. */
struct source {
	struct view *view;
	uint32_t number; /* unique in the run, ascending */
	uint32_t slot;
	uint32_t cpu;		     /* of the last record: drops are reported by CPU */
	struct record_origin origin; /* who writes to it */
	struct ring_reader ring;
	struct stage stage;		  /* what was taken from the ring */
	struct drop_counts seen, unheard; /* reported so far, and so silently */
};

/* How long threads of a process have waited for room, together. */
struct waited {
	int pid;
	uint64_t ns;
};

struct sources {
	const void *image; /* borrowed */
	struct view *home;
	struct {
		struct view **data; /* home first */
		size_t len, cap;
	} views;
	struct {
		struct source **data; /* ascending numbers */
		size_t len, cap;
	} list;
	uint32_t next;		  /* number */
	struct requests requests; /* zeroed: targets make none */
	uint64_t since;		  /* no target has counted anything before */
	/* Says that a counter of the process is impossible; NULL: nothing is said. */
	void (*impossible)(void *ctx, int pid, const char *what);
	void *ctx;
	uint64_t stacks;    /* cut off, of views that have gone */
	struct costs costs; /* of these, too */
	struct {
		struct waited *data; /* of these, and what the keeper told */
		size_t len, cap;
	} waited;
	struct costs_filter filter; /* by the owner; of processes */
};

/* home: the block of front and keeper; borrowed. */
struct sources *sources_new(struct state *home, const void *image);
void sources_free(struct sources *s);

/*
 * Adds the view of a process: size bytes at state, from now on owned and unmapped with
 * the view, as is file, its exchange.
 */
struct view *sources_add_view(struct sources *s, struct state *state, uint64_t size,
			      int file, int pid);
/* Nothing writes to the views of the process any more; pid 0: to no view but home.
 * s may be NULL: tracing has not begun. */
void sources_end(struct sources *s, int pid);
/* Adds the slots that have been given out since the last call. */
void sources_find(struct sources *s);
/* The source with the number, or NULL if its view has gone. */
struct source *sources_get(const struct sources *s, uint32_t number);

/* agg_keep() of every slot. */
void sources_keep_aggregations(struct sources *s);
/* state_renew() of every view. */
void sources_renew(const struct sources *s);
/* Adds what firings have cost so far, in all targets and in the keeper for them. */
void sources_add_costs(const struct sources *s, struct costs *to);
/* Adds so many ns that threads of the process have waited. */
void sources_add_waited(struct sources *s, int pid, uint64_t ns);
/*
 * The same of all views there are, as their targets say: of a slot no more than the time
 * of the run, and nothing where too little was recorded for a wait.
 */
void sources_find_waited(struct sources *s);
/* Which requests of targets are believed from now on. */
void sources_set_requests(struct sources *s, const struct requests_config *config);
/* Whether a word of the view that makes the request is believed. */
bool sources_believe(const struct sources *s, struct view *v, enum request what);
/*
 * Whether some view but home is stopped (state_stop_exchange()) by a clause that can run
 * there.
 */
bool sources_are_stopped(const struct sources *s);

/*
 * Counters in the memory of a target are claims. Whether one of the view's, in one slot,
 * can be `now` if it was `before`: it only grows, and not faster than a thread counts. If
 * not, none of the view's counters is believed any more, and that is said: what names one
 * of what it counts. All counters of home are believed.
 */
bool sources_trust(const struct sources *s, struct view *v, uint64_t before,
		   uint64_t now, const char *what);
/* User stacks that were cut off, of all slots. */
uint64_t sources_cut_stacks(const struct sources *s);

/*
 * Takes records into the source's stage, at most limit bytes and a piece, and checks the
 * oldest one. Invalidates pointers to records of the stage.
 */
void source_fill(struct source *p, struct record_check *check, uint64_t limit);
/*
 * Drops the oldest record of the stage, and checks the next one. Its memory stays valid
 * until source_fill().
 */
void source_pop(struct source *p, struct record_check *check);
/* Whether an ended view has no record left, in rings or stages. */
bool view_is_drained(const struct view *v);
/* Unmaps an ended view and frees its sources. */
void sources_remove_view(struct sources *s, struct view *v);

#endif

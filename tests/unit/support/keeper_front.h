/* SPDX-License-Identifier: MIT */
/*
 * A front for the tests of the keeper: starts build/bin/probekeeper, speaks
 * its protocol, and has a program that counts hits and sums arg1 by probe.
 */
#ifndef TESTS_UNIT_SUPPORT_KEEPER_FRONT_H
#define TESTS_UNIT_SUPPORT_KEEPER_FRONT_H

#include "hook/hook.h"
#include "tests/unit/support/block_read.h"
#include "tests/unit/support/vm_image.h"
#include "tracer/keeper/keeper.h"
#include "vm/agg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRONT_PROBES 16
#define SLICE_MS     50

struct front {
	int fd;
	pid_t keeper;
	uint32_t serial;
	void *image;
	size_t image_size;
	struct state *state; /* the home view */
	uint64_t state_bytes;
	int files[STATE_REGIONS]; /* of it */
	struct state **views;	  /* of processes, as they were attached to */
	unsigned nviews;
	bool ends_sites; /* the keeper is told at once that no more sites are wanted */
	uint32_t nslots; /* of the state block; 0: few, and none for threads */
	struct keeper_msg events[64]; /* that came before a reply */
	unsigned nevents;
};

struct front_site {
	void *at;
	uint32_t probe;
	enum keeper_site_kind kind;
	uint32_t size; /* RETURN: of the function that begins at base */
	void *base;
	enum keeper_reason reason;    /* of the last front_sites() */
	const struct hook_plan *plan; /* to be hooked, or NULL */
	enum keeper_site_result result;
};

void pause_ms(long ms);

long now_ms(void);

/* The leak sanitizer looks through a keeper's memory for seconds before it ends. */
void wait_gone(pid_t pid);

struct keeper_msg front_call(struct front *f, struct keeper_msg m, const int *fds,
			     uint32_t nfds);

/* The next event within ms; false when none came. */
bool front_event(struct front *f, int ms, struct keeper_msg *out);

int front_memfd(const void *data, size_t n);

/* Fronts from now on have clause 0 alone, so that jumps take the quick way. */
extern bool front_only_counts;

/* Those whose clause 0 counts in a light routine (vm/native.h). */
extern bool front_is_light;

/* Those whose clause 1 reads memory. */
extern bool front_reads;

void front_probes(struct front *f);

struct front *front_new_with(uint32_t nslots);

struct front *front_new(void);

/* Closes the socket and waits for the keeper's end; its wait status. */
int front_free(struct front *f);

struct keeper_msg front_request(struct front *f, uint32_t type, int pid);

/* Sets the sites; results and reasons are filled in. The number set. */
uint64_t front_sites(struct front *f, int pid, struct front_site *s, uint32_t n);

struct front_value {
	uint32_t agg, id;
	uint64_t value;
};

/* Hits of the probe (its index) so far; with agg 1 the sum of arg1. */
uint64_t front_value(struct front *f, uint32_t agg, uint32_t probe);

#endif

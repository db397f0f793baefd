/* SPDX-License-Identifier: MIT */
#include "tracer/output/patient_load.h"
#include "tracer/base/patience.h"
#include "vm/base/host/background.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>

#define SLICE_MS 20 /* between looks whether it is given up */

/* On the heap: a thread that was given up uses it for ever. */
struct job {
	struct module *module;
	uint64_t value;
	struct module_types *types;
	int status;
};

static bool is_lost;
static const struct module *lost_module; /* whose symbols that thread makes */

bool patient_load_is_lost(void)
{
	return is_lost;
}

/* False: it was given up, and the job is the thread's. */
static bool wait_for(void (*run)(void *job), struct job *j)
{
	struct patience_wait outer = patience_begin(AWAITED_SYMBOLS);
	struct background *thread;
	bool is_done = false;

	if (!patience_is_over()) {
		thread = background_start(run, j);
		while (!(is_done = background_wait(thread, SLICE_MS)) &&
		       !patience_is_over())
			;
		is_lost |= !is_done;
	} else {
		j->status = STATUS_BUSY;
		is_done = true;
	}
	patience_end(outer);
	return is_done;
}

static struct job *job_new(const struct module *m, uint64_t value)
{
	struct job *j = oom_calloc(1, sizeof(*j));

	j->module = (struct module *)m;
	j->value = value;
	return j;
}

static void load_symbols(void *job)
{
	struct job *j = job;
	struct err ignored;

	j->status = module_load_symbols(j->module, &ignored);
}

bool patient_load_is_usable(const struct module *m)
{
	return m != lost_module;
}

void patient_load_symbols(struct module *m)
{
	struct job *j;

	if (m == lost_module || module_is_loaded(m))
		return;
	j = job_new(m, 0);
	if (wait_for(load_symbols, j))
		free(j);
	else
		lost_module = m;
}

static void hold(void *job)
{
	struct job *j = job;
	struct err ignored;

	j->status = module_hold(j->module, &ignored);
}

int patient_hold(struct module *m)
{
	struct job *j = job_new(m, 0);
	int status = STATUS_BUSY;

	if (wait_for(hold, j)) {
		status = j->status;
		free(j);
	}
	return status;
}

/* What the first question of a file needs is also read here. */
static void load_types(void *job)
{
	struct target_place ignored[TARGET_PLACES_MAX];
	struct job *j = job;
	struct err e;

	j->status = module_types_open(j->module, &j->types, &e);
	if (j->status == 0)
		module_types_places(j->types, j->value, ignored);
}

struct module_types *patient_load_types(const struct module *m, uint64_t value)
{
	struct job *j = job_new(m, value);
	struct module_types *types = NULL;

	if (wait_for(load_types, j)) {
		types = j->status ? NULL : j->types;
		free(j);
	}
	return types;
}

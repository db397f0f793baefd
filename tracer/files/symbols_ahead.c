/* SPDX-License-Identifier: MIT */
#include "tracer/files/symbols_ahead.h"
#include "tracer/output/progress.h"
#include "vm/base/host/background.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The functions of less code are loaded as fast as this begins. */
#ifdef DTRACE_SMALL_LIMITS
#define BYTES_MIN 1
#else
#define BYTES_MIN (1u << 20)
#endif

#define THREADS_MAX 3
#define WAIT_MS	    20 /* between looks whether tracing is to end */

enum loading {
	IS_FREE,
	IS_LOADING, /* by a helper */
	IS_LOADED,
	IS_OVER, /* taken, or it could not be loaded */
};

struct object {
	struct module *twin; /* module_twin() */
	enum loading state;
};

struct symbols_ahead {
	struct tracer *t;
	struct {
		struct object *data; /* vec */
		size_t len, cap;
	} objects;
	struct map numbers; /* of objects, by their modules */
	struct background *helpers[THREADS_MAX];
	size_t nhelpers;
	atomic_bool is_stopped;
	/* For states, and what helpers load next. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;
};

/* The next one that nobody loads; NULL: there is none, or loading is to end. */
static struct object *choose(struct symbols_ahead *a)
{
	struct object *o = NULL;

	pthread_mutex_lock(&a->lock);
	for (; a->next < a->objects.len && !o && !atomic_load(&a->is_stopped);
	     a->next++)
		if (a->objects.data[a->next].state == IS_FREE)
			o = &a->objects.data[a->next];
	if (o)
		o->state = IS_LOADING;
	pthread_mutex_unlock(&a->lock);
	return o;
}

static void help(void *ctx)
{
	struct symbols_ahead *a = ctx;
	struct object *o;

	while (!tracer_is_interrupted(a->t) && (o = choose(a)) != NULL) {
		bool is_loaded = module_load_ahead(o->twin, &a->is_stopped);

		pthread_mutex_lock(&a->lock);
		o->state = is_loaded ? IS_LOADED : IS_OVER;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
}

static void start(struct symbols_ahead *a, size_t nhelpers)
{
	while (a->nhelpers < nhelpers)
		a->helpers[a->nhelpers++] = background_start(help, a);
}

/* While the objects are chosen. */
struct choosing {
	const struct symbols_choice *choice;
	struct symbols_ahead *ahead;
	struct map files; /* by device and inode: one object of each */
	uint64_t bytes;	  /* of code */
};

/* The first object is wanted at once, and is left to this thread. */
static void add_object(void *ctx, struct module *m)
{
	struct choosing *c = ctx;
	struct symbols_ahead *a = c->ahead;
	uint64_t file = m->ino ^ m->dev << 40;
	struct module *twin;

	if (m->is_part || c->choice->is_left_out(m) || map_get(&c->files, file, NULL))
		return;
	twin = module_twin(m);
	if (!twin)
		return;
	if (c->files.len) {
		map_set(&a->numbers, (uintptr_t)m, a->objects.len);
		*vec_push(&a->objects) = (struct object){.twin = twin};
		c->bytes += m->executable;
	} else {
		module_free(twin);
	}
	map_set(&c->files, file, 1);
}

static struct symbols_ahead *ahead_new(struct tracer *t)
{
	struct symbols_ahead *a = oom_calloc(1, sizeof(*a));
	pthread_condattr_t monotonic;

	a->t = t;
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return a;
}

void symbols_ahead_begin(struct tracer *t, const struct symbols_choice *choice)
{
	size_t n = background_spare(THREADS_MAX);
	struct choosing c = {.choice = choice};

	/* several targets mostly share their functions */
	if (!n || t->targets.len > 1 || t->symbols_ahead)
		return;
	c.ahead = t->symbols_ahead = ahead_new(t);
	modules_select(choice->modules, choice->field, add_object, &c);
	map_release(&c.files);
	if (c.bytes < BYTES_MIN)
		symbols_ahead_end(t);
	else
		start(c.ahead, min_u64(n, c.ahead->objects.len));
}

/* True: the state may have changed. */
static bool wait_changed(struct symbols_ahead *a)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_MS * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return pthread_cond_timedwait(&a->changed, &a->lock, &until) == 0;
}

static void await(struct symbols_ahead *a, const struct object *o, const char *name)
{
	while (o->state == IS_LOADING) {
		if (wait_changed(a))
			continue;
		pthread_mutex_unlock(&a->lock);
		if (progress_at(a->t, "reading symbols", name, 0, 0))
			atomic_store(&a->is_stopped, true);
		pthread_mutex_lock(&a->lock);
	}
}

bool symbols_ahead_take(struct symbols_ahead *a, struct module *m)
{
	bool is_given, is_loaded;
	struct object *o;
	uint64_t i;

	if (!a || !map_get(&a->numbers, (uintptr_t)m, &i))
		return false;
	o = &a->objects.data[i];
	pthread_mutex_lock(&a->lock);
	await(a, o, m->name);
	is_loaded = o->state == IS_LOADED;
	o->state = IS_OVER;
	pthread_mutex_unlock(&a->lock);
	is_given = is_loaded && module_share_symbols(m, o->twin);
	module_free(o->twin);
	o->twin = NULL;
	return is_given;
}

void symbols_ahead_stop(struct symbols_ahead *a)
{
	if (!a)
		return;
	atomic_store(&a->is_stopped, true);
	while (a->nhelpers)
		background_wait(a->helpers[--a->nhelpers], BACKGROUND_FOREVER);
	for (size_t i = 0; i < a->objects.len; i++) {
		module_free(a->objects.data[i].twin);
		a->objects.data[i] = (struct object){.state = IS_OVER};
	}
}

void symbols_ahead_end(struct tracer *t)
{
	struct symbols_ahead *a = t->symbols_ahead;

	if (!a)
		return;
	symbols_ahead_stop(a);
	t->symbols_ahead = NULL;
	map_release(&a->numbers);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	vec_release(&a->objects);
	free(a);
}

size_t symbols_ahead_select(struct tracer *t, const struct symbols_choice *choice,
			    void (*found)(void *ctx, struct module *m), void *ctx)
{
	size_t n;

	if (!*choice->field || glob_is_pattern(choice->field))
		symbols_ahead_begin(t, choice);
	n = modules_select(choice->modules, choice->field, found, ctx);
	symbols_ahead_end(t);
	return n;
}

/* SPDX-License-Identifier: MIT */
#include "tracer/output/progress.h"
#include "tracer/base/fatal_signal.h"
#include "tracer/output/out.h"
#include "vm/base/fmt.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/pulse.h"

#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INTERVAL_NS UINT64_C(100000000) /* it is not drawn more often */
#define NAME_BYTES  48
#define LINE_BYTES  160

static const char erasure[] = "\r\033[K";

struct progress {
	const char *what; /* NULL: nothing has been said yet */
	const char *name_from;
	char name[NAME_BYTES];
	uint64_t done, total;
	uint64_t before;	   /* progress_watch(): done before what is watched */
	_Atomic uint32_t *watched; /* NULL: nothing; with flag */
	uint32_t flag;
	uint64_t next;	    /* when to draw */
	uint64_t next_look; /* whether the targets live */
	bool is_shown;
};

static void put(const char *text, size_t n)
{
	ssize_t ignored = write(STDERR_FILENO, text, n);

	(void)ignored;
}

/* Whether stderr is a terminal that takes text now: a stopped one would block dtrace. */
static bool is_ready(void)
{
	const char *term = getenv("TERM");
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	pid_t foreground;

	if (!term || !*term || strcmp(term, "dumb") == 0 || !isatty(STDERR_FILENO))
		return false;
	foreground = tcgetpgrp(STDERR_FILENO);
	return (foreground < 0 || foreground == getpgrp()) && poll(&p, 1, 0) == 1 &&
	       p.revents & POLLOUT;
}

static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/* 1234567 as 1,234,567 */
static void add_number(char *text, size_t cap, uint64_t v)
{
	char digits[FMT_MAX];
	size_t n = fmt_u64(digits, v, 10), out = strlen(text);

	for (size_t i = 0; i < n && out + 2 < cap; i++) {
		if (i && (n - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
}

static void draw(struct progress *p)
{
	char text[LINE_BYTES], line[LINE_BYTES + sizeof(erasure)];
	size_t width = columns() - 1;
	int n;

	snprintf(text, sizeof(text), "%s%s", p->what, p->done || p->total ? ": " : "");
	if (p->done || p->total)
		add_number(text, sizeof(text), p->done);
	if (p->total) {
		strcat(text, " of ");
		add_number(text, sizeof(text), p->total);
	}
	if (*p->name)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%s)",
			 p->name);
	n = snprintf(line, sizeof(line), "%s%.*s", erasure,
		     (int)min_u64(width, sizeof(text)), text);
	p->is_shown = true;
	fatal_signal_erase(true);
	put(line, (size_t)n);
}

/* Called by what is about to print. */
static void erase(void *ctx)
{
	struct progress *p = ctx;

	if (p->is_shown) {
		put(erasure, sizeof(erasure) - 1);
		fatal_signal_erase(false);
	}
	p->is_shown = false;
}

static bool is_to_end(struct tracer *t, uint64_t now)
{
	struct progress *p = t->progress;

	if (now >= p->next_look && t->targets_have_ended) {
		p->next_look = now + INTERVAL_NS;
		t->is_pointless |= t->targets_have_ended(t);
	}
	return tracer_is_interrupted(t);
}

static bool beat(void *ctx)
{
	struct tracer *t = ctx;
	struct progress *p = t->progress;
	uint64_t now = clock_now_ns();
	bool is_over = is_to_end(t, now);

	if (p->watched && is_over)
		atomic_fetch_or_explicit(p->watched, p->flag, memory_order_relaxed);
	else if (p->watched)
		p->done = p->before +
			  atomic_load_explicit(p->watched, memory_order_relaxed);
	if (now < p->next || is_over)
		return is_over;
	p->next = now + min_u64(t->options.progress, INTERVAL_NS);
	if (p->what && !t->out->held && is_ready())
		draw(p);
	return false;
}

void progress_begin(struct tracer *t)
{
	if (!t->progress)
		t->progress = oom_calloc(1, sizeof(*t->progress));
	t->progress->what = NULL;
	t->progress->next_look = clock_now_ns();
	t->progress->next = t->progress->next_look + t->options.progress;
	t->out->erase = erase;
	t->out->erase_ctx = t->progress;
	pulse_set(beat, t);
}

void progress_end(struct tracer *t)
{
	pulse_set(NULL, NULL);
	if (!t->progress)
		return;
	erase(t->progress);
	t->out->erase = NULL;
}

/* A copy: the name may go before the line does. Nothing in it moves the cursor. */
static void set_name(struct progress *p, const char *name)
{
	size_t n = 0;

	p->name_from = name;
	for (; name[n] && n < sizeof(p->name) - 1; n++)
		p->name[n] = isprint((unsigned char)name[n]) ? name[n] : '?';
	p->name[n] = '\0';
}

bool progress_at(struct tracer *t, const char *what, const char *name, uint64_t done,
		 uint64_t total)
{
	struct progress *p = t->progress;

	if (!pulse_is_set())
		return tracer_is_interrupted(t);
	if (p->what != what && p->is_shown)
		p->next = 0; /* a new step is shown at once */
	if (p->what != what || p->name_from != name)
		set_name(p, name);
	p->what = what;
	p->done = done;
	p->total = total;
	return beat(t);
}

void progress_watch(struct tracer *t, _Atomic uint32_t *word, uint32_t flag)
{
	if (!t->progress)
		return;
	t->progress->watched = word;
	t->progress->before = t->progress->done;
	t->progress->flag = flag;
}

void progress_ignore(struct tracer *t)
{
	progress_watch(t, NULL, 0);
}

void progress_free(struct progress *p)
{
	free(p);
}

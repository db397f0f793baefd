/* SPDX-License-Identifier: MIT */
#include "tracer/run_signals.h"
#include "tracer/base/fatal_signal.h"
#include "tracer/base/patience.h"
#include "tracer/output/out.h"

#include <signal.h>

static volatile sig_atomic_t interrupts;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupts = interrupts + 1;
	patience_signal();
}

static void catch_signal(struct run_signals *s, int sig)
{
	const struct sigaction catch = {.sa_handler = on_interrupt};

	sigaction(sig, &catch, NULL);
	sigaddset(&s->caught, sig);
	sigdelset(&s->unblocked, sig);
}

/*
 * When the reader of the standard output leaves, SIGPIPE ends dtrace, silently, as it
 * does other programs; but not while something else is to be written, or done.
 */
static void catch_pipe(const struct tracer *t, struct run_signals *s)
{
	struct sigaction former;

	s->is_silent = false;
	if (!out_is_named_pipe(t->out) && !t->pictures && !t->recorder &&
	    !t->options.destructive)
		return;
	sigaction(SIGPIPE, NULL, &former);
	s->is_silent = former.sa_handler == SIG_DFL && !out_is_named_pipe(t->out);
	signal(SIGPIPE, SIG_IGN);
}

/* SIGHUP ends tracing unless it is ignored, as nohup(1) does; SIGQUIT only while the
 * terminal is in another state. */
void run_signals_catch(struct tracer *t, struct run_signals *s)
{
	struct sigaction hangup;

	sigemptyset(&s->caught);
	sigprocmask(SIG_SETMASK, NULL, &s->unblocked);
	catch_signal(s, SIGINT);
	catch_signal(s, SIGTERM);
	sigaction(SIGHUP, NULL, &hangup);
	if (hangup.sa_handler != SIG_IGN || t->options.top)
		catch_signal(s, SIGHUP);
	if (t->options.top)
		catch_signal(s, SIGQUIT);
	sigprocmask(SIG_SETMASK, &s->unblocked, NULL);
	fatal_signal_keep_files();
	catch_pipe(t, s);
	/* A file that becomes too large is an error of its write(). */
	signal(SIGXFSZ, SIG_IGN);
	t->interrupts = &interrupts;
}

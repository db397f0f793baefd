/* SPDX-License-Identifier: MIT */
/*
 * Demangles with libiberty. It limits the depth of nesting, but neither the length of
 * the output nor the time: a name of 200 bytes can expand to terabytes, or have 2^50
 * ways to be parsed. So the output is limited here, and a timer ends long attempts.
 *
 * Both leave libiberty with siglongjmp(3). Its C++ demangler keeps everything on the
 * stack, so nothing leaks. Its Rust demangler is left only while it prints, and not
 * while it prints an identifier with non-ASCII letters: then it holds allocated memory.
 */
#include "symbols/elf/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MANGLED_MAX = 1024, /* libiberty's own limit for C++ */
	WRITTEN_MAX = 16384,
	HARMLESS_MAX = 64, /* a name of this length cannot take long */
	TIME_MAX_MS = 20,
};

enum { LEFT_LARGE = 1, LEFT_LATE };

struct writing {
	sigjmp_buf leave;
	size_t n;
	char text[WRITTEN_MAX];
};

/* The attempt that the signal ends. */
static _Thread_local struct writing *timed;

static bool is_ascii(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

static void write_part(const char *text, size_t n, void *opaque)
{
	struct writing *w = opaque;

	if (!n) /* text may be NULL then */
		return;
	if (n <= sizeof(w->text) - w->n) {
		memcpy(w->text + w->n, text, n);
		w->n += n;
	} else if (is_ascii(text, n)) {
		siglongjmp(w->leave, LEFT_LARGE);
	}
}

static void on_time(int sig)
{
	(void)sig;
	if (timed)
		siglongjmp(timed->leave, LEFT_LATE);
}

/* A timer of the processor time of this thread; it signals this thread only. */
static bool make_timer(timer_t *timer)
{
	struct sigaction catch = {.sa_handler = on_time};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = SIGVTALRM};

	sigset_t signals;

	event._sigev_un._tid = gettid();
	sigemptyset(&signals);
	sigaddset(&signals, SIGVTALRM);
	return sigaction(SIGVTALRM, &catch, NULL) == 0 &&
	       timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0;
}

static bool start_timer(struct writing *w)
{
	static _Thread_local timer_t timer;
	static _Thread_local bool is_made;
	const struct itimerspec limit = {
		.it_value = {.tv_nsec = w ? TIME_MAX_MS * 1000000L : 0}};

	if (!is_made && !make_timer(&timer))
		return false;
	is_made = true;
	timed = w;
	return timer_settime(timer, 0, &limit, NULL) == 0;
}

static bool write_cpp(const char *name, enum demangle_form form, struct writing *w)
{
	int options = DMGL_RET_DROP;

	if (form == DEMANGLE_FULL)
		options |= DMGL_PARAMS | DMGL_ANSI;
	return cplus_demangle_v3_callback(name, options, write_part, w) != 0;
}

static bool write_cpp_in_time(const char *name, enum demangle_form form,
			      unsigned *timeouts_left, struct writing *w)
{
	volatile bool is_done = false;
	int left;

	if (!*timeouts_left)
		return false;
	left = sigsetjmp(w->leave, 1);
	if (left == 0)
		is_done = start_timer(w) && write_cpp(name, form, w);
	*timeouts_left -= left == LEFT_LATE;
	start_timer(NULL);
	return is_done && !left;
}

static bool write_rust(const char *name, struct writing *w)
{
	return rust_demangle_callback(name, DMGL_NO_OPTS, write_part, w) != 0;
}

static bool write_name(const char *name, size_t n, enum demangle_form form,
		       unsigned *timeouts_left, struct writing *w)
{
	if (sigsetjmp(w->leave, 0))
		return false;
	if (write_rust(name, w))
		return true;
	w->n = 0;
	if (name[1] != 'Z')
		return false;
	if (n <= HARMLESS_MAX)
		return write_cpp(name, form, w);
	return write_cpp_in_time(name, form, timeouts_left, w);
}

bool demangle(const char *name, enum demangle_form form, unsigned *timeouts_left,
	      struct strbuf *out)
{
	struct writing w;
	size_t n;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
		return false;
	n = strnlen(name, MANGLED_MAX + 1);
	if (n > MANGLED_MAX)
		return false;
	w.n = 0;
	if (!write_name(name, n, form, timeouts_left, &w) || !w.n)
		return false;
	strbuf_add(out, w.text, w.n);
	return true;
}

const char *demangle_needle(const char *name)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *colon = strrchr(name, ':');
	const char *last = colon ? colon + 1 : name;
	size_t n = strlen(last);

	if (last[strspn(last, word)])
		return "";
	if (colon && colon - name > (ptrdiff_t)n && memcmp(colon - 1 - n, last, n) == 0)
		return "";
	return last;
}

/* The end of an ABI tag or of a list of arguments at s; s itself: there is none. */
static const char *skip_addition(const char *s)
{
	static const char tag[] = "[abi:";
	const char *end = strncmp(s, tag, sizeof(tag) - 1) == 0 ? strchr(s, ']') : NULL;
	size_t depth = 0;

	if (end)
		return end + 1;
	if (*s != '<')
		return s;
	for (end = s; *end; end++) {
		depth += *end == '<';
		if (*end == '>' && end[-1] != '-' && --depth == 0)
			return end + 1;
	}
	return s;
}

bool demangle_is_source_name(const char *text, const char *bare)
{
	while (*bare) {
		const char *next;

		if (*text == *bare) {
			text++;
			bare++;
			continue;
		}
		next = skip_addition(bare);
		if (next == bare)
			return false;
		bare = next;
	}
	return !*text;
}

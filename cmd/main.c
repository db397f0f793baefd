/* SPDX-License-Identifier: MIT */
/*
 * The command: does what the command line says, in the documented order, and
 * ends with the status of the run. Nothing else in the project exits.
 */
#include "cmd/check.h"
#include "cmd/diff.h"
#include "cmd/opts.h"
#include "cmd/help.h"
#include "cmd/process.h"
#include "tracer/tracer.h"
#include "vm/base/host/background.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE_TABLE (256 << 10)

#define ENV_PREFIX "DTRACE_OPT_"

static int fail(const struct opts *o, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* Prints "dtrace: TEXT" on stderr; the exit status of an error. */
static int fail(const struct opts *o, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", o->command);
	va_start(ap, fmt);
	shown_vprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

/* -V, --help, --version */
static int print_text(const struct opts *o)
{
	struct strbuf text = {0};

	if (o->mode == OPTS_HELP)
		help_text(&text, o->command);
	else if (o->mode == OPTS_RELEASE)
		help_version(&text, o->command);
	else
		strbuf_printf(&text, "%s: Sun D 1.13\n", o->command);
	fputs(text.data, stdout);
	strbuf_release(&text);
	if (fflush(stdout) == EOF || ferror(stdout))
		return fail(o, "failed to write to standard output");
	return 0;
}

static bool is_text(enum opts_mode mode)
{
	return mode == OPTS_VERSION || mode == OPTS_HELP || mode == OPTS_RELEASE;
}

/* DTRACE_OPT_QUIET=1 is -x quiet=1. */
static int set_from_environment(const struct opts *o, struct tracer *t)
{
	const size_t prefix = strlen(ENV_PREFIX);
	struct err e;
	char name[64];

	for (char **v = environ; v && *v; v++) {
		const char *value = strchr(*v, '=');
		size_t n = 0;

		if (strncmp(*v, ENV_PREFIX, prefix) != 0 || !value)
			continue;
		for (const char *p = *v + prefix; p < value && n < sizeof(name) - 1;
		     p++)
			name[n++] = (char)tolower((unsigned char)*p);
		name[n] = '\0';
		if (tracer_option(t, name, value + 1, &e))
			return fail(o, "failed to set %.*s: %s", (int)(value - *v), *v,
				    e.text);
	}
	return 0;
}

static int set_options(const struct opts *o, struct tracer *t)
{
	int status = set_from_environment(o, t);
	struct err e;

	if (status)
		return status;
	for (size_t i = 0; i < o->settings.len; i++) {
		const struct opts_setting *s = &o->settings.data[i];

		if (tracer_option(t, s->name, s->value, &e))
			return fail(o, "failed to set %s%s%s: %s", s->shown,
				    s->arg ? " " : "", s->arg ? s->arg : "", e.text);
	}
	if (o->is_verbose)
		tracer_verbose(t);
	if (o->output && (o->mode == OPTS_TRACE || o->mode == OPTS_LIST) &&
	    tracer_output(t, o->output, &e))
		return fail(o, "failed to open output file '%s': %s", o->output,
			    e.text);
	return 0;
}

static int add_command(const struct opts *o, struct tracer *t,
		       const struct opts_target *target)
{
	static const char blanks[] = " \t\n\v\f";
	const char *command = target->words ? target->words[0] : target->command;
	struct err e;
	int rc;

	if (target->words)
		rc = tracer_command_words(t, target->words, &e);
	else
		rc = tracer_command(t, command, &e);
	command += target->words ? 0 : strspn(command, blanks);
	if (rc)
		return fail(o, "failed to execute %.*s: %s",
			    (int)(target->words ? strlen(command)
						: strcspn(command, blanks)),
			    command, e.text);
	return 0;
}

static bool is_quiet(const struct opts *o)
{
	for (size_t i = 0; i < o->settings.len; i++)
		if (strcmp(o->settings.data[i].name, "quiet") == 0)
			return true;
	return false;
}

/* -p NAME and -W NAME; 0 after a message. */
static int find_process(const struct opts *o, const struct opts_target *target)
{
	struct strbuf why = {0};
	int pid;

	if (!*target->name) {
		fail(o, "invalid pid: the name is empty");
		return 0;
	}
	if (target->is_awaited && !is_quiet(o))
		shown_printf(stderr, "%s: waiting for a process '%s'\n", o->command,
			     target->name);
	pid = target->is_awaited ? process_wait(target->name, &why)
				 : process_find(target->name, &why);
	if (!pid)
		fail(o, "invalid pid: %s\n\t%s", target->name, why.data);
	strbuf_release(&why);
	return pid;
}

static int add_targets(const struct opts *o, struct tracer *t)
{
	struct err e;

	for (size_t i = 0; i < o->targets.len; i++) {
		const struct opts_target *target = &o->targets.data[i];
		int pid = target->pid;

		if (target->command || target->words) {
			if (add_command(o, t, target))
				return EXIT_FAILURE;
			continue;
		}
		if (target->name)
			pid = find_process(o, target);
		if (!pid)
			return EXIT_FAILURE;
		if (tracer_grab(t, pid, &e))
			return fail(o, "failed to grab pid %d: %s", pid, e.text);
	}
	return 0;
}

/* Whether a shell would find a program by the word. */
static bool is_program(const char *word)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];
	struct stat st;

	if (strchr(word, '/'))
		return stat(word, &st) == 0 && S_ISREG(st.st_mode) &&
		       access(word, X_OK) == 0;
	for (dir = dir ? dir : "/bin:/usr/bin"; *word && *dir; dir += *dir == ':') {
		size_t n = strcspn(dir, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)(n ? n : 1), n ? dir : ".",
			 word);
		if (strlen(path) < sizeof(path) - 1 && is_program(path))
			return true;
		dir += n;
	}
	return false;
}

/*
 * The words after "--" are a command, if nothing else says what to trace and the first is
 * a program. Else they are operands, as in DTrace: dtrace -s x.d -- -5
 */
static void take_command(struct opts *o)
{
	size_t first = o->operands.len - o->nafter;

	if (o->nafter == 0 || o->operands.len == 0 || o->targets.len > 0 ||
	    !is_program(o->operands.data[first]))
		return;
	*vec_push(&o->targets) =
		(struct opts_target){.words = o->operands.data + first};
	o->operands.len = first;
}

static enum tracer_spec spec_of(char letter)
{
	switch (letter) {
	case 's':
		return TRACER_SCRIPT;
	case 'f':
		return TRACER_FUNC;
	case 'm':
		return TRACER_MODULE;
	case 'P':
		return TRACER_PROVIDER;
	default: /* -n, and -i: a bare number is a probe id */
		return TRACER_NAME;
	}
}

static int run(const struct opts *o, struct tracer *t)
{
	int status = set_options(o, t);

	if (!status)
		status = add_targets(o, t);
	if (status)
		return status;
	for (size_t i = 0; i < o->programs.len; i++)
		tracer_program(t, spec_of(o->programs.data[i].letter),
			       o->programs.data[i].text);
	switch (o->mode) {
	case OPTS_LIST:
		return tracer_list(t);
	case OPTS_COMPILE:
		return tracer_compile(t);
	case OPTS_HEADER:
		return tracer_header(t, o->output);
	case OPTS_OBJECT:
		return tracer_object(t, o->output);
	case OPTS_EXPLAIN:
		return tracer_explain(t);
	default:
		return tracer_run(t);
	}
}

/*
 * A standard descriptor that is closed is not to be taken by one of ours, where
 * output would land: it is filled with one that fails as a closed one does, and that
 * an executed program finds closed.
 */
static void fill_closed_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		/* the lowest free number is this one, as those below are taken */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", mode | O_CLOEXEC) < 0)
			return;
	}
}

/* What a run of -x check is told: tracer_check(). */
struct check {
	bool by_jumps;
	int fd;
};

/* A tracer that does the command line; check: NULL as a rule. */
static int trace(struct opts *o, const struct check *check)
{
	struct tracer *t = tracer_new(o->argv0, (int)o->operands.len, o->operands.data);
	bool wants_core;
	int status;

	if (check)
		tracer_check(t, check->by_jumps, check->fd);
	status = run(o, t);
	wants_core = tracer_wants_core(t);
	tracer_free(t);
	if (wants_core) {
		fflush(stdout);
		abort();
	}
	return status;
}

static int trace_plainly(struct opts *o)
{
	return trace(o, NULL);
}

static int trace_checked(struct opts *o, bool by_jumps, int fd)
{
	const struct check check = {by_jumps, fd};

	return trace(o, &check);
}

/* What main() is called with. */
struct arguments {
	int argc;
	char **argv;
};

static int run_command(void *ctx)
{
	const struct arguments *a = ctx;
	struct strbuf messages = {0};
	struct opts o;
	int status = opts_parse(&o, a->argc, a->argv, &messages);

	fill_closed_descriptors();
	/* Large tables go back to the kernel when they are freed, and grow in place. */
	mallopt(M_MMAP_THRESHOLD, LARGE_TABLE);
	setlocale(LC_NUMERIC, ""); /* the ' flag of printf() */
	if (status) {
		shown_printf(stderr, "%s", messages.data);
	} else if (is_text(o.mode)) {
		status = print_text(&o);
	} else if (o.mode == OPTS_DIFF) {
		status = diff_run(&o, trace_plainly);
	} else {
		if (o.mode == OPTS_OBJECT)
			o.operands.len = 0; /* object files, no operands of D */
		take_command(&o);
		status = check_is_wanted(&o) ? check_runs(&o, trace_checked)
					     : trace(&o, NULL);
	}
	strbuf_release(&messages);
	opts_release(&o);
	if (tracer_has_lost_thread())
		_exit(status);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments a = {argc, argv};

	return stack_run(run_command, &a);
}

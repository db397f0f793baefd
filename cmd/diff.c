/* SPDX-License-Identifier: MIT */
#include "cmd/diff.h"
#include "cmd/diff_stacks.h"
#include "cmd/diff_table.h"
#include "tracer/tracer.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const struct opts *o, const char *path, const char *why)
{
	shown_printf(stderr, "%s: --diff: %s%s%s\n", o->command, path,
		     *path ? ": " : "", why);
	return EXIT_FAILURE;
}

static void add_setting(struct opts *o, const char *name, const char *value)
{
	*vec_push(&o->settings) = (struct opts_setting){
		.name = oom_strdup(name), .value = value, .shown = "--diff"};
}

/* A run of the program on a recording. */
struct part {
	const char *path;
	int fd; /* of its standard output */
};

/* In the process of the run. */
_Noreturn static void be_run(struct opts *o, const struct part *part,
			     int (*trace)(struct opts *o))
{
	dup2(part->fd, STDOUT_FILENO);
	add_setting(o, "quiet", NULL);
	add_setting(o, "recording", part->path);
	add_setting(o, "oformat", "json");
	o->mode = OPTS_TRACE;
	o->operands.len = 0;
	o->output = NULL; /* it is that of the table */
	exit(trace(o));
}

/* False: it has failed, or the program has: that is said. */
static bool run(struct opts *o, const struct part *part, int (*trace)(struct opts *o))
{
	char why[64];
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = part->fd < 0 ? -1 : fork();
	if (pid == 0)
		be_run(o, part, trace);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	snprintf(why, sizeof(why), "its run has ended with status %d",
		 pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
	fail(o, part->path, why);
	return false;
}

/* What the program says of the recording; NULL: it has failed, and has said why. */
static FILE *run_on(struct opts *o, const char *path, int (*trace)(struct opts *o))
{
	const struct part part = {.path = path,
				  .fd = memfd_create("diff", MFD_CLOEXEC)};

	if (run(o, &part, trace) && lseek(part.fd, 0, SEEK_SET) == 0)
		return fdopen(part.fd, "r");
	if (part.fd >= 0)
		close(part.fd);
	return NULL;
}

/* --flame is for both of them: its file; NULL: it is not given. */
static const char *take_flame(struct opts *o)
{
	const char *flame = NULL;
	size_t n = 0;

	for (size_t i = 0; i < o->settings.len; i++) {
		struct opts_setting *s = &o->settings.data[i];

		if (strcmp(s->name, "flame") == 0) {
			flame = s->value;
			free(s->name);
		} else {
			o->settings.data[n++] = *s;
		}
	}
	o->settings.len = n;
	return flame;
}

/* The stacks of B, coloured by what changed since those of A. */
static int draw(const struct opts *o, const struct diff_table *t, const char *flame)
{
	const char *name = diff_stacks_name(t);
	struct strbuf folded[DIFF_FILES] = {{0}};
	struct err e;
	int rc = 0;

	if (!name)
		return fail(o, "",
			    "--flame needs an aggregation of count() or sum() with a "
			    "stack among its keys");
	for (int i = 0; i < DIFF_FILES && !rc; i++)
		if (!diff_stacks_fold(t, i, name, &folded[i]))
			rc = fail(o, i ? o->operands.data[0] : o->diff,
				  "it has no stacks for --flame");
	if (!rc && tracer_flame(&folded[1], &folded[0], name, flame, &e))
		rc = fail(o, "", e.text);
	for (int i = 0; i < DIFF_FILES; i++)
		strbuf_release(&folded[i]);
	return rc;
}

/* The output of -O json itself, or what the program makes of the recording. */
static FILE *open_output(struct opts *o, const char *path, int (*trace)(struct opts *o))
{
	/* O_NONBLOCK: a pipe without a writer would not be opened */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), first;
	struct stat st;
	FILE *file;

	if (fd < 0 || fstat(fd, &st)) {
		fail(o, path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		fail(o, path, "it is not a regular file");
	}
	file = fd >= 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!file && fd >= 0)
		close(fd);
	if (!file)
		return NULL;
	first = getc(file);
	if (first == '{' || first == EOF) {
		rewind(file);
		return file;
	}
	fclose(file);
	if (o->programs.len == 0) {
		fail(o, path, "it is not of -O json; a recording needs a program");
		return NULL;
	}
	return run_on(o, path, trace);
}

/* To where -o says, after what is there. 0 or -1, and that was said. */
static int print_table(struct opts *o, struct diff_table *t)
{
	FILE *out = o->output ? fopen(o->output, "ae") : stdout;
	int rc = 0;

	if (!out) {
		fail(o, o->output, strerror(errno));
		return -1;
	}
	diff_table_print(t, out);
	if (fflush(out) == EOF || ferror(out)) {
		if (o->output)
			fail(o, o->output, "failed to write to it");
		else
			fail(o, "", "failed to write to standard output");
		rc = -1;
	}
	if (o->output)
		fclose(out);
	return rc;
}

int diff_run(struct opts *o, int (*trace)(struct opts *o))
{
	const char *path[DIFF_FILES] = {o->diff, o->operands.data[0]};
	const char *flame = take_flame(o);
	struct diff_table table = {0};
	struct strbuf why = {0};
	int rc = 0;

	if (o->operands.len != 1 || o->targets.len)
		return fail(o, "", "give two files, and neither -c nor -p");
	for (int i = 0; i < DIFF_FILES && !rc; i++) {
		FILE *file = open_output(o, path[i], trace);

		rc = file ? diff_table_read(&table, i, file, &why) : -1;
		if (file && rc)
			fail(o, path[i], why.data);
		if (file)
			fclose(file);
	}
	if (!rc) {
		diff_table_join(&table);
		rc = print_table(o, &table);
	}
	if (!rc && flame)
		rc = draw(o, &table, flame);
	diff_table_release(&table);
	strbuf_release(&why);
	return rc ? EXIT_FAILURE : 0;
}

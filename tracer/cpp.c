/* SPDX-License-Identifier: MIT */
/*
 * Runs the C preprocessor as a process. Its standard input and output are memory files,
 * so that neither process can wait for the other. Its messages go to our standard
 * error.
 */
#include "tracer/base/fatal_signal.h"
#include "tracer/base/options.h"
#include "tracer/source.h"
#include "dlang/dlang.h"
#include "vm/base/host/fd.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLANKS	    " \t\n\v\f\r"
#define EXIT_NO_CPP 127 /* the preprocessor could not be executed */

struct words {
	char **data;
	size_t len, cap;
};

static void add(struct words *w, const char *prefix, const char *text)
{
	struct strbuf b = {0};

	strbuf_puts(&b, prefix);
	strbuf_puts(&b, text);
	*vec_push(w) = b.data;
}

/* Macros that every script may rely on. */
static void add_predefined(struct words *w, const struct options *o)
{
	uint32_t version = dlang_version_latest();
	struct strbuf number = {0};
	struct utsname u;

	dlang_version(o->version, &version);
	strbuf_printf(&number, "0x%08x", version);
	add(w, "-D", "__SUNW_D=1");
	add(w, "-D", "__SUNW_D_64");
	add(w, "-D__SUNW_D_VERSION=", number.data);
	add(w, "-D", "__SVR4");
	add(w, "-D", "__amd64");
	add(w, "-D", "__linux");
	add(w, "-D", "__unix");
	if (uname(&u) == 0)
		add(w, "-D__", u.sysname);
	strbuf_release(&number);
}

static void add_split(struct words *w, const char *text)
{
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		struct strbuf word = {0};
		size_t n = strcspn(text, BLANKS);

		strbuf_add(&word, text, n);
		*vec_push(w) = word.data;
		text += n;
	}
}

/* -D, -U, -I and further words in the order of the command line. */
static void add_options(struct words *w, const struct options *o)
{
	static const struct {
		const char *option, *prefix;
	} switches[] = {{"define", "-D"}, {"undef", "-U"}, {"incdir", "-I"}};

	for (size_t i = 0; i < o->words.len; i++) {
		const struct option_word *v = &o->words.data[i];

		for (size_t k = 0; k < ARRAY_LEN(switches); k++)
			if (strcmp(v->name, switches[k].option) == 0)
				add(w, switches[k].prefix, v->text);
		if (strcmp(v->name, "cppargs") == 0)
			add_split(w, v->text);
	}
}

static void command_line(struct words *w, const struct options *o)
{
	add(w, "", o->cpppath);
	/* without unix and linux, which may be words of a specifier */
	add(w, "", o->stdc == STDC_S ? "-traditional-cpp" : "-std=c99");
	add(w, "-U", "__GNUC__");
	add(w, "", "-w"); /* D is not C: a lone apostrophe is none of its business */
	add_predefined(w, o);
	if (o->cpphdrs)
		add(w, "", "-H");
	add_options(w, o);
	add(w, "", "-");
	*vec_push(w) = NULL;
}

/* The line that names the script, for errors: without it they would name <stdin>. */
static void name_script(const char *path, struct strbuf *out)
{
	strbuf_puts(out, "# 1 \"");
	for (; *path; path++) {
		if (*path == '"' || *path == '\\')
			strbuf_putc(out, '\\');
		strbuf_putc(out, *path == '\n' ? '?' : *path);
	}
	strbuf_puts(out, "\"\n");
}

/* "#!" begins a comment in D, but not for the preprocessor. */
static int input_file(const char *path, const struct strbuf *text)
{
	struct strbuf name = {0};
	size_t skip = 0;
	int fd = memfd_create("script", MFD_CLOEXEC);

	if (strncmp(text->data, "#!", 2) == 0)
		skip = strcspn(text->data, "\n");
	name_script(path, &name);
	if (fd >= 0 && (!fd_write_all(fd, name.data, name.len) ||
			!fd_write_all(fd, text->data + skip, text->len - skip))) {
		close(fd);
		fd = -1;
	}
	strbuf_release(&name);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int read_output(int fd, struct strbuf *text)
{
	char chunk[4096];
	ssize_t n;

	strbuf_reset(text);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		strbuf_add(text, chunk, (size_t)n);
	return n < 0 ? -1 : 0;
}

static pid_t await_group(pid_t pid, int *status)
{
	pid_t done;

	setpgid(pid, pid);
	/* what it includes may never be read */
	fatal_signal_group(pid);
	do
		done = waitpid(pid, status, 0);
	while (done < 0 && errno == EINTR);
	fatal_signal_group(0);
	return done;
}

static ATTR_NORETURN void child_main(char **argv, int in, int out)
{
	setpgid(0, 0);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(EXIT_NO_CPP);
	execvp(argv[0], argv);
	_exit(EXIT_NO_CPP);
}

static int run(char **argv, int in, int out, struct err *e)
{
	pid_t pid, done;
	int status;

	pid = fork();
	if (pid == 0)
		child_main(argv, in, out);
	done = pid < 0 ? pid : await_group(pid, &status);
	if (pid < 0)
		return err_errno(e, STATUS_NOMEM, "cannot fork");
	if (done < 0)
		return err_errno(e, STATUS_GONE, "cannot wait for %s", argv[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_CPP)
		return err_set(
			e, STATUS_INVAL,
			"failed to execute the preprocessor '%s': install it, or "
			"name another one with -x cpppath=PATH",
			argv[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, STATUS_SYNTAX,
			       "Preprocessor failed to process input program");
	return 0;
}

int cpp_run(const struct options *o, const char *path, struct strbuf *text,
	    struct err *e)
{
	struct words w = {0};
	int in = input_file(path, text),
	    out = memfd_create("preprocessed", MFD_CLOEXEC), rc;

	command_line(&w, o);
	if (in < 0 || out < 0)
		rc = err_errno(e, STATUS_NOMEM, "cannot make a memory file");
	else
		rc = run(w.data, in, out, e);
	if (rc == 0 && read_output(out, text))
		rc = err_errno(e, STATUS_IO, "cannot read what the preprocessor wrote");
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	for (size_t i = 0; i < w.len; i++)
		free(w.data[i]);
	vec_release(&w);
	return rc;
}

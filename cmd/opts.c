/* SPDX-License-Identifier: MIT */
/*
 * Switches may stand anywhere and be combined; words that belong to none are
 * operands, also after "--". getopt's own messages are worded here, because
 * they must begin with the base name of the command.
 */
#include "cmd/opts.h"
#include "cmd/help.h"
#include "vm/base/host/vec.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_ERROR = 1, STATUS_USAGE = 2 };

/* "-": operands in their place; ":": no messages, ':' for a missing argument. */
#define SWITCHES "-:3:6:aAb:Bc:CD:eE:f:FgGhHi:I:lL:m:n:o:O:p:P:qs:SU:vVwW:x:X:Z"

/* Values of long options that have no letter. */
enum {
	LONG_HELP = 256,
	LONG_VERSION,
	LONG_FLAME,
	LONG_FLAME_BASE,
	LONG_HEATMAP,
	LONG_PPROF,
	LONG_TIMELINE,
	LONG_TOP,
	LONG_METRICS,
	LONG_EXPLAIN,
	LONG_FOR,
	LONG_DIFF
};

static const struct option long_options[] = {
	{"help", no_argument, NULL, LONG_HELP},
	{"version", no_argument, NULL, LONG_VERSION},
	{"for", required_argument, NULL, LONG_FOR},
	{"flame", required_argument, NULL, LONG_FLAME},
	{"flame-base", required_argument, NULL, LONG_FLAME_BASE},
	{"heatmap", required_argument, NULL, LONG_HEATMAP},
	{"pprof", required_argument, NULL, LONG_PPROF},
	{"top", no_argument, NULL, LONG_TOP},
	{"timeline", required_argument, NULL, LONG_TIMELINE},
	{"metrics", required_argument, NULL, LONG_METRICS},
	{"explain", required_argument, NULL, LONG_EXPLAIN},
	{"diff", required_argument, NULL, LONG_DIFF},
	{NULL, 0, NULL, 0},
};

/* Switches that only set an option; its value is the switch's argument, if it has one. */
static const struct {
	int letter;
	const char *shown, *name;
} setters[] = {
	{'b', "-b", "bufsize"},
	{'C', "-C", "cpp"},
	{'D', "-D", "define"},
	{'E', "-E", "recording"},
	{'F', "-F", "flowindent"},
	{'g', "-g", "recordlive"},
	{'H', "-H", "cpphdrs"},
	{'I', "-I", "incdir"},
	{'L', "-L", "libdir"},
	{'O', "-O", "oformat"},
	{'q', "-q", "quiet"},
	{'S', "-S", "verbose"},
	{'U', "-U", "undef"},
	{'w', "-w", "destructive"},
	{'X', "-X", "stdc"},
	{'Z', "-Z", "zdefs"},
	{LONG_FOR, "--for", "duration"},
	{LONG_FLAME, "--flame", "flame"},
	{LONG_FLAME_BASE, "--flame-base", "flamebase"},
	{LONG_HEATMAP, "--heatmap", "heatmap"},
	{LONG_PPROF, "--pprof", "pprof"},
	{LONG_TIMELINE, "--timeline", "timeline"},
	{LONG_METRICS, "--metrics", "metrics"},
};

/* What parsing keeps beside the result. */
struct parser {
	struct opts *o;
	struct strbuf *messages;
	char modes[8]; /* those of -A -G -h -l -V that were given, each once */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* After a wrong switch: where to look. */
static int short_usage(struct parser *p)
{
	strbuf_printf(p->messages, "Usage: %s --help shows the options and examples\n",
		      p->o->command);
	return STATUS_USAGE;
}

static int bad_switch(struct parser *p, const char *what, int letter)
{
	strbuf_printf(p->messages, "%s: %s -- '%c'\n", p->o->command, what, letter);
	return short_usage(p);
}

/* A long option that is unknown, has an argument too many, or lacks one. */
static int bad_long(struct parser *p, const char *what, const char *word)
{
	strbuf_printf(p->messages, "%s: %s '%s'\n", p->o->command, what, word);
	return short_usage(p);
}

static int refuse(struct parser *p, const char *text)
{
	strbuf_printf(p->messages, "%s: %s\n", p->o->command, text);
	return STATUS_USAGE;
}

static void add_setting(struct opts *o, const char *shown, const char *arg,
			const char *name, const char *value)
{
	size_t n = strcspn(name, "=");
	struct strbuf own = {0};

	strbuf_add(&own, name, n);
	*vec_push(&o->settings) = (struct opts_setting){
		.name = own.data,
		.value = name[n] == '=' ? name + n + 1 : value,
		.shown = shown,
		.arg = arg,
	};
}

/* -x name[=value]: messages show the name alone. */
static void add_x(struct opts *o, const char *arg)
{
	struct opts_setting *last;

	add_setting(o, "-x", NULL, arg, NULL);
	last = &o->settings.data[o->settings.len - 1];
	last->arg = last->name;
}

/* True if the switch only sets an option. */
static bool parse_setter(struct opts *o, int letter, const char *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(setters); i++) {
		if (setters[i].letter == letter) {
			add_setting(o, setters[i].shown, arg, setters[i].name, arg);
			return true;
		}
	}
	return false;
}

/* A number, or the name of a process: a word that does not begin like a number. */
static int parse_pid(struct parser *p, const char *arg)
{
	char *end;
	long pid;

	if (*arg && !strchr("0123456789+- \t", *arg)) {
		*vec_push(&p->o->targets) = (struct opts_target){.name = arg};
		return 0;
	}
	errno = 0;
	pid = strtol(arg, &end, 10);
	if (errno || end == arg || *end || pid <= 0 || pid > INT_MAX) {
		strbuf_printf(p->messages, "%s: invalid pid: %s\n", p->o->command, arg);
		return STATUS_ERROR;
	}
	*vec_push(&p->o->targets) = (struct opts_target){.pid = (int)pid};
	return 0;
}

/* -32 and -64 come as a switch 3 or 6 with the second digit as its argument. */
static int parse_model(struct parser *p, int letter, const char *arg)
{
	if (letter == '6' && strcmp(arg, "4") == 0)
		return 0;
	if (letter == '3' && strcmp(arg, "2") == 0)
		return refuse(
			p, "-32 is not supported: only 64-bit programs can be traced");
	strbuf_printf(p->messages, "%s: illegal option -- %c%s\n", p->o->command,
		      letter, arg);
	return short_usage(p);
}

static void add_mode(struct parser *p, int letter)
{
	size_t n = strlen(p->modes);

	if (!strchr(p->modes, letter))
		p->modes[n] = (char)letter;
}

/*
 * Wrong switches, and words that belong to none. optopt is 0, or the value in
 * long_options, for a long option; word is the one that was read.
 */
static int parse_other(struct parser *p, int letter, char *arg, const char *word)
{
	bool is_long = optopt == 0 || optopt >= LONG_HELP;

	switch (letter) {
	case 1:
		*vec_push(&p->o->operands) = arg;
		return 0;
	case ':':
		return is_long ? bad_long(p, "option requires an argument", word)
			       : bad_switch(p, "option requires an argument", optopt);
	default:
		return is_long ? bad_long(p, "invalid option", word)
			       : bad_switch(p, "invalid option", optopt);
	}
}

/* True if the switch is a mode that goes with any other switch. */
static bool parse_mode(struct opts *o, int letter, const char *arg)
{
	switch (letter) {
	case 'e':
		o->mode = OPTS_COMPILE;
		return true;
	case LONG_DIFF:
		o->mode = OPTS_DIFF;
		o->diff = arg;
		return true;
	case LONG_EXPLAIN:
		o->mode = OPTS_EXPLAIN;
		*vec_push(&o->programs) = (struct opts_program){'n', arg};
		return true;
	default:
		return false;
	}
}

static int parse_switch(struct parser *p, int letter, char *arg)
{
	struct opts *o = p->o;

	if (parse_setter(o, letter, arg) || parse_mode(o, letter, arg))
		return 0;
	switch (letter) {
	case '3':
	case '6':
		return parse_model(p, letter, arg);
	case 'A':
	case 'G':
	case 'h':
	case 'l':
	case 'V':
		add_mode(p, letter);
		return 0;
	case 'a':
		return refuse(p,
			      "-a is not supported: there is no anonymous tracing in "
			      "user mode");
	case 'B':
		return refuse(p, "-B is not supported: there is no library whose "
				 "buffered output could be shown");
	case 'c':
		*vec_push(&o->targets) = (struct opts_target){.command = arg};
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'p':
		return parse_pid(p, arg);
	case 'W':
		*vec_push(&o->targets) =
			(struct opts_target){.name = arg, .is_awaited = true};
		return 0;
	case 'v':
		o->is_verbose = true;
		return 0;
	case LONG_TOP:
		add_setting(o, "--top", NULL, "top", NULL);
		return 0;
	case 'x':
		add_x(o, arg);
		return 0;
	default:
		*vec_push(&o->programs) = (struct opts_program){(char)letter, arg};
		return 0;
	}
}

static bool is_d_file(const char *path)
{
	size_t n = strlen(path);

	return n >= 2 && strcmp(path + n - 2, ".d") == 0;
}

/* The path of the first script, with another letter instead of the d of .d. */
static const char *derive_output(struct opts *o, char letter)
{
	const char *script = o->programs.data[0].text;
	struct strbuf path = {0};

	strbuf_add(&path, script, strlen(script) - 1);
	strbuf_putc(&path, letter);
	o->derived = path.data;
	return o->derived;
}

/* -h: the header is named like its script, unless -o names it. */
static int choose_header(struct parser *p)
{
	struct opts *o = p->o;
	const struct opts_program *first = o->programs.data;

	o->mode = OPTS_HEADER;
	add_setting(o, "-h", NULL, "zdefs", NULL);
	if (o->programs.len == 0)
		return refuse(p, "-h requires one or more scripts or enabling options");
	if (o->output)
		return 0;
	if (o->programs.len > 1)
		return refuse(p, "-h requires an output file if multiple scripts are "
				 "specified");
	if (first->letter != 's' || !is_d_file(first->text))
		return refuse(p, "-h requires an output file if no scripts are "
				 "specified");
	o->output = derive_output(o, 'h');
	return 0;
}

/* -G: the object file is named like its script, unless -o names it. */
static int choose_object(struct parser *p)
{
	struct opts *o = p->o;
	const struct opts_program *first = o->programs.data;

	o->mode = OPTS_OBJECT;
	add_setting(o, "-G", NULL, "zdefs", NULL);
	if (o->programs.len == 0)
		return refuse(p, "-G requires one or more scripts or enabling options");
	if (!o->output && first->letter == 's' && is_d_file(first->text))
		o->output = derive_output(o, 'o');
	else if (!o->output)
		o->output = "d.out";
	return 0;
}

/* The one mode of -A -G -h -l -V. */
static int choose_mode(struct parser *p)
{
	if (strlen(p->modes) > 1)
		return refuse(
			p,
			"only one of the [-AGhlV] options can be specified at a time");
	switch (p->modes[0]) {
	case 'A':
		return refuse(p,
			      "-A is not supported: there is no anonymous tracing in "
			      "user mode");
	case 'G':
		return choose_object(p);
	case 'h':
		return choose_header(p);
	case 'l':
		p->o->mode = OPTS_LIST;
		add_setting(p->o, "-l", NULL, "zdefs", NULL);
		return 0;
	case 'V':
		p->o->mode = OPTS_VERSION;
		return 0;
	default:
		return 0;
	}
}

/* One switch or word; *is_done: it decides the mode, and the rest does not matter. */
static int parse_word(struct parser *p, int letter, char **argv, bool *is_done)
{
	switch (letter) {
	case LONG_HELP:
	case LONG_VERSION:
		p->o->mode = letter == LONG_HELP ? OPTS_HELP : OPTS_RELEASE;
		*is_done = true;
		return 0;
	case 1:
	case ':':
	case '?':
		return parse_other(p, letter, optarg, argv[optind - 1]);
	default:
		return parse_switch(p, letter, optarg);
	}
}

int opts_parse(struct opts *o, int argc, char **argv, struct strbuf *messages)
{
	struct parser p = {.o = o, .messages = messages};
	bool is_done = false;
	int letter, status;

	*o = (struct opts){.argv0 = argc ? argv[0] : "dtrace"};
	o->command = base_name(o->argv0);
	if (argc < 2) {
		help_usage(messages, o->command);
		return STATUS_USAGE;
	}
	optind = 0; /* starts anew, also when called again */
	while (!is_done &&
	       (letter = getopt_long(argc, argv, SWITCHES, long_options, NULL)) != -1) {
		status = parse_word(&p, letter, argv, &is_done);
		if (status)
			return status;
	}
	for (; optind < argc && !is_done; optind++) {
		*vec_push(&o->operands) = argv[optind];
		o->nafter++;
	}
	*vec_push(&o->operands) = NULL;
	o->operands.len--;
	return is_done ? 0 : choose_mode(&p);
}

void opts_release(struct opts *o)
{
	for (size_t i = 0; i < o->settings.len; i++)
		free(o->settings.data[i].name);
	free(o->derived);
	vec_release(&o->settings);
	vec_release(&o->targets);
	vec_release(&o->programs);
	vec_release(&o->operands);
}

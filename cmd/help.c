/* SPDX-License-Identifier: MIT */
#include "cmd/help.h"

static const char usage_text[] =
	"Usage: %s [-32|-64] [-aACeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]\n"
	"\t[-E file] [-I path] [-L path] [-o output] [-p pid|name] [-s script]\n"
	"\t[-U name] [-W name] [-x opt[=val]] [-X a|c|s|t]\n"
	"\t[-P provider [[predicate] action]]\n"
	"\t[-m [provider:]module [[predicate] action]]\n"
	"\t[-f [[provider:]module:]func [[predicate] action]]\n"
	"\t[-n [[[provider:]module:]func:]name [[predicate] action]]\n"
	"\t[-i probe-id [[predicate] action]] [args ...] [-- cmd [args ...]]\n"
	"\n"
	"\tpredicate -> '/' D-expression '/'\n"
	"\t   action -> '{' D-statements '}'\n"
	"\n"
	"\t-64 types of 64-bit programs (the only ones)\n"
	"\t-b  size of the trace buffer\n"
	"\t-c  start a command and trace until it ends\n"
	"\t-C  run the C preprocessor over script files\n"
	"\t-D  define a macro for the preprocessor\n"
	"\t-e  only compile; enable nothing\n"
	"\t-E  run on the events that perf has recorded to a file; a new file:\n"
	"\t    record the run in it, as perf.data\n"
	"\t-f  program for a function\n"
	"\t-F  indent output by function entry and return\n"
	"\t-g  with -E: print while recording\n"
	"\t-G  write an empty object file, for makefiles of DTrace\n"
	"\t-h  write a C header for the providers that the program declares\n"
	"\t-H  the preprocessor prints the files it includes\n"
	"\t-i  program for a probe id\n"
	"\t-I  directory that the preprocessor includes files from\n"
	"\t-l  list the probes instead of enabling them\n"
	"\t-L  directory of D libraries\n"
	"\t-m  program for a module\n"
	"\t-n  program for a probe name\n"
	"\t-o  append output to a file\n"
	"\t-O  print in another form: json csv folded\n"
	"\t-p  trace a running process, by number or name, until it ends\n"
	"\t-P  program for a provider\n"
	"\t-q  quiet: print only what the program prints\n"
	"\t-s  program from a script file\n"
	"\t-S  show the generated code\n"
	"\t-U  undefine a macro of the preprocessor\n"
	"\t-v  verbose: stability, and arguments of listed probes\n"
	"\t-V  print the version of the D language\n"
	"\t-w  allow destructive actions\n"
	"\t-W  wait for the next process of this name, and trace it\n"
	"\t-x  set an option\n"
	"\t-X  conformance of the preprocessor: a c s t\n"
	"\t-Z  allow descriptions that match no probe\n"
	"\t--diff A B         what two outputs of -O json, or recordings, have "
	"counted\n"
	"\t--explain PROBE    show the code at the sites of a probe, and of its "
	"clauses\n"
	"\t--flame FILE       draw an aggregation of stacks as a flame graph (SVG)\n"
	"\t--flame-base FILE  colour it by what changed since these folded stacks\n"
	"\t--for TIME         end the run after so long: 500ms 5s 2m\n"
	"\t--heatmap FILE     draw a histogram over time (SVG)\n"
	"\t--pprof FILE       write aggregations of stacks as a profile for pprof\n"
	"\t--timeline FILE    entries and returns for Chrome's or Perfetto's viewer\n"
	"\t--help     print this text, with examples, on standard output\n"
	"\t--top      show the aggregations on the terminal while the program runs\n"
	"\t--version  print the version of dtrace\n"
	"\t--metrics  serve aggregations over HTTP at [ADDR:]PORT\n"
	"\n"
	"\tnot supported: -B\n"
	"\tnot in user mode: -32 -a -A\n";

/* Each example runs as it is, with a program of the user. */
static const char examples_text[] =
	"%s answers questions about running programs, in the D language.\n"
	"\n"
	"How often is each function of a program called?\n"
	"\t%s -n 'fpid$target:a.out::entry {@[probefunc] = count();}' -c ./prog\n"
	"How much memory does a running process ask for? As a histogram:\n"
	"\t%s -n 'fpid$target:libc:malloc:entry {@ = quantize(arg0);}' -p PID\n"
	"Which system calls fail, and with which errors?\n"
	"\t%s -n 'syscall:::return /errno/ {@[probefunc, errno] = count();}' "
	"-c 'ls /nowhere'\n"
	"\n";

void help_usage(struct strbuf *out, const char *command)
{
	strbuf_printf(out, usage_text, command);
}

void help_text(struct strbuf *out, const char *command)
{
	strbuf_printf(out, examples_text, command, command, command, command);
	help_usage(out, command);
}

void help_version(struct strbuf *out, const char *command)
{
	strbuf_printf(out, "%s " DTRACE_VERSION " (D language 1.13)\n", command);
}

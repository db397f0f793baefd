/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/calls.h"

#include <string.h>

static const struct {
	const char *name, *prefix, *field; /* of raw_syscalls; of syscalls */
} kinds[] = {
	{"sys_enter", "sys_enter_",
	 "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"},
	{"sys_exit", "sys_exit_",
	 "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"},
};

static const char common[] =
	"ID: 0\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:int id;\toffset:8;\tsize:4;\tsigned:1;\n";

bool calls_are_of(const struct recorded_format *f, const char *system, const char *name)
{
	if (strcmp(system, "raw_syscalls") != 0 || strcmp(f->system, "syscalls") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return strncmp(f->name, kinds[i].prefix,
				       strlen(kinds[i].prefix)) == 0;
	return false;
}

bool calls_format(const char *system, const char *name, struct strbuf *out)
{
	if (strcmp(system, "raw_syscalls") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		strbuf_printf(out, "name: %s\n%s%s\nprint fmt: \"\"\n", name, common,
			      kinds[i].field);
		return true;
	}
	return false;
}

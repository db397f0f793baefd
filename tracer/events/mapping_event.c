/* SPDX-License-Identifier: MIT */
#include "tracer/events/mapping_event.h"

#include <string.h>

/* The last that common_type has room for: the kernel counts its own from 1 on. */
#define MAPPING_ID 65535

enum { AT_THREAD = 4, AT_ADDRESS = 8, AT_PATH = 32, AT_TEXT = 36 };

static const char format[] =
	"name: " MAPPING_NAME "\n"
	"ID: 65535\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long address;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long length;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long offset;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] filename;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s 0x%lx 0x%lx 0x%lx\", __get_str(filename), REC->address, "
	"REC->length, REC->offset\n";

bool mapping_event_is(const char *system, const char *name)
{
	return system && name && strcmp(system, MAPPING_SYSTEM) == 0 &&
	       strcmp(name, MAPPING_NAME) == 0;
}

void mapping_event_format(struct strbuf *out)
{
	strbuf_puts(out, format);
}

static bool begins_with(const struct mapping_event *m, const char *text)
{
	size_t n = strlen(text);

	return n <= m->n && memcmp(m->path, text, n) == 0;
}

bool mapping_event_is_file(const struct mapping_event *m)
{
	static const char *const others[] = {"//anon", "/dev/zero", "/anon_hugepage",
					     "/SYSV"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (begins_with(m, others[i]))
			return false;
	return begins_with(m, "/");
}

uint32_t mapping_event_make(const struct mapping_event *m, uint32_t tid,
			    unsigned char out[MAPPING_BYTES])
{
	const uint64_t numbers[] = {m->address, m->size, m->offset};
	size_t n = strnlen(m->path, min_u64(m->n, MAPPING_PATH_MAX - 1));
	const uint16_t id = MAPPING_ID;
	const uint32_t word = AT_TEXT | (uint32_t)(n + 1) << 16;

	memset(out, 0, AT_TEXT);
	memcpy(out, &id, sizeof(id));
	memcpy(out + AT_THREAD, &tid, sizeof(tid));
	memcpy(out + AT_ADDRESS, numbers, sizeof(numbers));
	memcpy(out + AT_PATH, &word, sizeof(word));
	memcpy(out + AT_TEXT, m->path, n);
	out[AT_TEXT + n] = '\0';
	return (uint32_t)(AT_TEXT + n + 1);
}

/* SPDX-License-Identifier: MIT */
/*
 * The syscall provider: entries and returns of the system calls of traced processes.
 * The probes are named as the kernel's header names the calls; the names that other
 * systems and the kernel's own functions have for them find the same probes.
 */
#include "symbols/symbols.h"
#include "tracer/provider.h"
#include "tracer/trace.h"
#include "vm/base/host/glob.h"

#include <string.h>

static const struct {
	const char *name;
	uint64_t number;
} calls[] = {
#define SYSCALL(name, number) {#name, number},
#include <dtrace_syscalls.def>
#undef SYSCALL
};

static const struct {
	const char *other, *name;
} aliases[] = {
	{"creat64", "creat"},
	{"exece", "execve"},
	{"fork1", "fork"},
	{"forksys", "fork"},
	{"fstat64", "fstat"},
	{"fstatat", "newfstatat"},
	{"fstatat64", "newfstatat"},
	{"getdents_64", "getdents64"},
	{"getrlimit64", "getrlimit"},
	{"gtime", "time"},
	{"lstat64", "lstat"},
	{"lwp_create", "clone"},
	{"lwp_kill", "tgkill"},
	{"lwp_self", "gettid"},
	{"mmap64", "mmap"},
	{"newfstat", "fstat"},
	{"newlstat", "lstat"},
	{"newstat", "stat"},
	{"newuname", "uname"},
	{"open64", "open"},
	{"openat64", "openat"},
	{"pollsys", "ppoll"},
	{"pread", "pread64"},
	{"pwrite", "pwrite64"},
	{"rexit", "exit_group"},
	{"sendfile64", "sendfile"},
	{"setrlimit64", "setrlimit"},
	{"sigaction", "rt_sigaction"},
	{"sigpending", "rt_sigpending"},
	{"sigprocmask", "rt_sigprocmask"},
	{"sigreturn", "rt_sigreturn"},
	{"sigsuspend", "rt_sigsuspend"},
	{"sigtimedwait", "rt_sigtimedwait"},
	{"so_socket", "socket"},
	{"stat64", "stat"},
	{"statfs64", "statfs"},
	{"umount", "umount2"},
	{"waitsys", "waitid"},
};

/* Calls that the program does not come back from, or not to where it was. */
static bool has_return(const char *name)
{
	return strcmp(name, "exit") && strcmp(name, "exit_group") &&
	       strcmp(name, "rt_sigreturn");
}

static size_t find(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_LEN(calls) && strcmp(calls[i].name, name) != 0)
		i++;
	return i;
}

uint64_t prov_syscall_number(const char *function)
{
	size_t i = find(function);

	return i < ARRAY_LEN(calls) ? calls[i].number : UINT64_MAX;
}

/* The letters of syscall_types.def. */
static const char *type_of(char letter)
{
	static const struct {
		char letter;
		const char *type;
	} types[] = {
		{'i', "int"},		{'u', "unsigned int"}, {'l', "long"},
		{'L', "unsigned long"}, {'z', "size_t"},       {'Z', "ssize_t"},
		{'w', "uint32_t"},	{'q', "uint64_t"},     {'p', "void *"},
		{'s', "char *"},	{'P', "pid_t"},	       {'U', "uid_t"},
		{'G', "gid_t"},
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].letter == letter)
			return types[i].type;
	return NULL;
}

bool prov_syscall_arguments(const char *function, const char *probe,
			    struct prov_argument out[PROV_CALL_ARGUMENTS], uint32_t *n)
{
	static const struct {
		const char *name, *result, *arguments;
	} rows[] = {
#define TYPES(name, result, arguments) {#name, #result, arguments},
#include "tracer/syscall_types.def"
#undef TYPES
	};
	size_t i = 0;

	while (i < ARRAY_LEN(rows) && strcmp(rows[i].name, function) != 0)
		i++;
	*n = 0;
	if (i == ARRAY_LEN(rows))
		return false;
	if (strcmp(probe, "return") == 0) { /* arg0 and arg1 are the same */
		out[0] = out[1] =
			(struct prov_argument){type_of(*rows[i].result), NULL};
		*n = 2;
		return true;
	}
	for (const char *p = rows[i].arguments; *p; p++)
		out[(*n)++] = (struct prov_argument){type_of(*p), NULL};
	return true;
}

static bool wants(const char *pattern, const char *text)
{
	return !*pattern || glob_match(pattern, text);
}

/* The probes of a call that the name field wants; m NULL: they match by themselves. */
static void add(struct tracer *t, size_t i, const char *field, struct match *m)
{
	static const char *const names[] = {"entry", "return"};

	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		uint32_t id;

		if (!wants(field, names[k]) || (k == 1 && !has_return(calls[i].name)))
			continue;
		id = probes_add(&t->probes, &prov_syscall,
				(const char *const[4]){prov_syscall.name, "",
						       calls[i].name, names[k]});
		if (m)
			match_add(m, id);
	}
}

void prov_syscall_add_all(struct tracer *t)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		add(t, i, "", NULL);
}

static void add_alias(struct tracer *t, const struct dlang_probe_desc *desc,
		      struct match *m)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		size_t call = find(aliases[i].name);

		if (strcmp(aliases[i].other, desc->field[2]) == 0 &&
		    call < ARRAY_LEN(calls))
			add(t, call, desc->field[3], m);
	}
}

static int syscall_provide(const struct provider *self, struct tracer *t,
			   const struct dlang_probe_desc *desc, struct match *m,
			   struct err *e)
{
	(void)e;
	if (!wants(desc->field[0], self->name) || *desc->field[1] ||
	    !(wants(desc->field[3], "entry") || wants(desc->field[3], "return")) ||
	    !prov_has_process(self, t, desc, m))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (wants(desc->field[2], calls[i].name))
			add(t, i, desc->field[3], NULL);
	add_alias(t, desc, m);
	return 0;
}

const struct provider prov_syscall = {
	.name = "syscall",
	.contexts = CONTEXT_KEEPER,
	.attributes = {"Evolving/Evolving/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Private/Private/Unknown"},
	.provide = syscall_provide,
};

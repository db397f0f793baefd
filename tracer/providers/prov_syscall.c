/* SPDX-License-Identifier: MIT */
/*
 * The syscall provider: entries and returns of the system calls of traced processes.
 * Their names are those of the kernel's header. Other names, of other systems or of the
 * kernel's functions, match the same probes.
 */
#include "tracer/providers/prov_syscall.h"
#include "tracer/base/core.h"
#include "tracer/events/events.h"
#include "tracer/output/out.h"

#include <stdio.h>
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
	{"forkx", "fork"},
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
	{"vforkx", "vfork"},
	{"waitsys", "waitid"},
};

/* False for a call that does not return to the instruction after it. */
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

static const struct kernel_view entry_view = {
	.match = "id",
	.args = {{"args", 0, KERNEL_VALUE},
		 {"args", 1, KERNEL_VALUE},
		 {"args", 2, KERNEL_VALUE},
		 {"args", 3, KERNEL_VALUE},
		 {"args", 4, KERNEL_VALUE},
		 {"args", 5, KERNEL_VALUE}},
};
static const struct kernel_view return_view = {
	.match = "id",
	.result = "ret",
	.args = {{"ret", 0, KERNEL_VALUE}, {"ret", 0, KERNEL_VALUE}},
};

/* Of traced processes, or of all of the machine. */
static void syscall_source(const struct tracer *t, const struct probe *p,
			   struct provider_source *out)
{
	bool is_entry = strcmp(probes_name(&t->probes, p, PROBE_NAME), "entry") == 0;
	size_t i = find(probes_name(&t->probes, p, PROBE_FUNCTION));
	uint64_t number = i < ARRAY_LEN(calls) ? calls[i].number : UINT64_MAX;

	if (t->targets.len == 0 && t->serves_machine) {
		out->by = SOURCE_EVENT;
		out->kernel = (struct kernel_event){
			.system = "raw_syscalls",
			.name = is_entry ? "sys_enter" : "sys_exit",
			.value = number,
			.view = is_entry ? &entry_view : &return_view,
		};
		return;
	}
	out->by = SOURCE_KEEPER;
	out->event.kind =
		is_entry ? KEEPER_SITELESS_CALL_ENTRY : KEEPER_SITELESS_CALL_RETURN;
	out->event.value = number;
}

/* The type for a letter of syscall_types.def. */
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

/* Those of the system call's manual page, as in syscall_types.def. */
static void syscall_arguments(const struct probes *ps, const struct probe *p,
			      struct provider_arguments *out)
{
	static const struct {
		const char *name, *result, *arguments;
	} rows[] = {
#define TYPES(name, result, arguments) {#name, #result, arguments},
#include "tracer/providers/syscall_types.def"
#undef TYPES
	};
	const char *function = probes_name(ps, p, PROBE_FUNCTION);
	size_t i = 0;

	while (i < ARRAY_LEN(rows) && strcmp(rows[i].name, function) != 0)
		i++;
	if (i == ARRAY_LEN(rows)) {
		out->why = "the arguments of this system call are not known";
		return;
	}
	if (strcmp(probes_name(ps, p, PROBE_NAME), "return") == 0) {
		out->n = 2; /* arg0 and arg1 are the same */
		out->list[0].type = out->list[1].type = type_of(*rows[i].result);
		return;
	}
	for (const char *a = rows[i].arguments; *a; a++)
		out->list[out->n++].type = type_of(*a);
}

/* Whether a recording has the call's events, those of all calls or of this one. */
static bool is_recorded(const struct tracer *t, size_t i, const char *name)
{
	const char *kind = strcmp(name, "entry") == 0 ? "sys_enter" : "sys_exit";
	char event[128];

	if (!events_are_past(t) || events_has(t, "raw_syscalls", kind))
		return true;
	snprintf(event, sizeof(event), "%s_%s", kind, calls[i].name);
	if (events_has(t, "syscalls", event))
		return true;
	for (size_t k = 0; k < ARRAY_LEN(aliases); k++) {
		if (strcmp(aliases[k].name, calls[i].name) != 0)
			continue;
		snprintf(event, sizeof(event), "%s_%s", kind, aliases[k].other);
		if (events_has(t, "syscalls", event))
			return true;
	}
	return false;
}

/* Makes the probes of a call that match the name field. m: they match by another name. */
static void add(struct tracer *t, size_t i, const char *field, struct match *m)
{
	const struct provider *self = &prov_syscall;
	static const char *const names[] = {"entry", "return"};

	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		uint32_t id;

		if (!match_field(field, names[k]) || !is_recorded(t, i, names[k]) ||
		    (k == 1 && !has_return(calls[i].name)))
			continue;
		id = probes_add(&t->probes, self,
				(const char *const[4]){self->name, "", calls[i].name,
						       names[k]});
		if (m)
			match_add(m, id);
	}
}

static void syscall_add_all(const struct provider *self, struct tracer *t)
{
	(void)self;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		add(t, i, "", NULL);
}

/* Names of Linux' own functions are no surprise. */
static bool is_of_linux(const char *other)
{
	return strncmp(other, "new", 3) == 0 || strcmp(other, "umount") == 0;
}

static void tell_alias(struct tracer *t, const char *other, const char *name)
{
	if (t->has_told_alias || is_of_linux(other))
		return;
	t->has_told_alias = true;
	out_notice(t->out,
		   "'%s' is a system call of Solaris: %s is that of Linux. Other "
		   "such names match in the same way",
		   other, name);
}

static void add_alias(struct tracer *t, const struct dlang_probe_desc *desc,
		      struct match *m)
{
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++) {
		size_t call = find(aliases[i].name);

		if (strcmp(aliases[i].other, desc->field[2]) != 0 ||
		    call == ARRAY_LEN(calls))
			continue;
		add(t, call, desc->field[3], m);
		tell_alias(t, aliases[i].other, aliases[i].name);
	}
}

static int syscall_provide(const struct provider *self, struct tracer *t,
			   const struct dlang_probe_desc *desc, struct match *m,
			   struct err *e)
{
	(void)e;
	if (!match_field(desc->field[0], self->name) || *desc->field[1] ||
	    !(match_field(desc->field[3], "entry") ||
	      match_field(desc->field[3], "return")))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (match_field(desc->field[2], calls[i].name))
			add(t, i, desc->field[3], NULL);
	add_alias(t, desc, m);
	return 0;
}

const struct provider prov_syscall = {
	.name = "syscall",
	.contexts = CONTEXT_KEEPER | CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/Common", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Evolving/Evolving/Common",
		       "Private/Private/Unknown"},
	.needs_process = true,
	.may_be_machine = true,
	.has_double_arrows = true,
	.add_all = syscall_add_all,
	.provide = syscall_provide,
	.arguments = syscall_arguments,
	.source = syscall_source,
};

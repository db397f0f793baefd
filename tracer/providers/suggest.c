/* SPDX-License-Identifier: MIT */
#include "tracer/providers/suggest.h"
#include "symbols/symbols.h"
#include "tracer/base/core.h"
#include "tracer/providers/suggest_event.h"
#include "tracer/targets/target.h"
#include "vm/base/fmt.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define LOAD_MS	 30	     /* in which symbols are loaded for a suggestion */
#define FILE_MAX (64u << 20) /* bytes of a file whose symbols are */

/* One description, and where its suggestion goes. */
struct suggest {
	struct tracer *t;
	const char *field[4];
	int first; /* the first field that is not empty; 4: none is */
	struct match *m;
};

const char *suggest_visible(const char *name, char shown[NAME_SHOWN])
{
	size_t n = 0;

	for (; name[n] && n < NAME_SHOWN - 1; n++)
		shown[n] = iscntrl((unsigned char)name[n]) ? '?' : name[n];
	shown[n] = '\0';
	return shown;
}

/* ---- words ---- */

static bool is_word(const char *field)
{
	return *field && !glob_is_pattern(field);
}

/* The digits at the end of "pid123" or "fpid123"; NULL if the field is neither. */
static const char *pid_digits(const char *field)
{
	const char *p = field + (*field == 'f');

	if (strncmp(p, "pid", 3) != 0 || !p[3] || p[3 + strspn(p + 3, "0123456789")])
		return NULL;
	return p + 3;
}

/* The provider as a user writes it: pid$target if it names that process. */
static const char *shown_provider(const struct suggest *s, const char *field,
				  char shown[NAME_SHOWN])
{
	const char *digits = pid_digits(field);
	uint64_t pid;

	for (size_t i = 0; digits && i < s->t->targets.len; i++) {
		const struct target *target = s->t->targets.data[i];

		if (!target->is_named ||
		    fmt_parse_u64(digits, strlen(digits), 10, &pid) ||
		    pid != (uint64_t)target->pid)
			continue;
		snprintf(shown, NAME_SHOWN, "%.*s$target", (int)(digits - field),
			 field);
		return shown;
	}
	return suggest_visible(field, shown);
}

/* Takes the suggestion: true. */
static bool propose(const struct suggest *s, const char *const field[4])
{
	char shown[4][NAME_SHOWN];

	shown_provider(s, field[0], shown[0]);
	for (int i = 1; i < 4; i++)
		suggest_visible(field[i], shown[i]);
	if (!field[0][0] && !field[1][0] && !field[2][0])
		snprintf(s->m->hint, sizeof(s->m->hint), "did you mean '%s'?",
			 shown[3]);
	else
		snprintf(s->m->hint, sizeof(s->m->hint), "did you mean '%s:%s:%s:%s'?",
			 shown[0], shown[1], shown[2], shown[3]);
	return true;
}

/* The one of the words that is meant: near, or the beginning of which is there. */
static const char *meant_word(const char *word, const char *const *words, size_t n)
{
	struct near near;

	near_begin_strict(&near, word, 1);
	for (size_t i = 0; i < n; i++) {
		if (strlen(word) >= 3 && strncasecmp(words[i], word, strlen(word)) == 0)
			return words[i];
		near_offer(&near, words[i]);
	}
	return near_first(&near);
}

static const char *const names_of_functions[] = {"entry", "return"};

static const char *meant_name(const char *name)
{
	return meant_word(name, names_of_functions, ARRAY_LEN(names_of_functions));
}

/* ---- functions of targets ---- */

static bool is_small(const struct module *m)
{
	struct stat st;

	return m->nsymbols || (stat(m->path, &st) == 0 && st.st_size <= FILE_MAX);
}

struct functions {
	struct near near;
	const char *wanted;
	bool is_found;
};

static void found(void *ctx, const struct symbol *sym)
{
	struct functions *f = ctx;

	(void)sym;
	f->is_found = true;
}

static void look_into(struct functions *f, struct module *m)
{
	uint64_t begin = clock_now_ns();
	struct err ignored;

	if (m->is_vdso || m->is_part || !is_small(m) ||
	    module_load_symbols(m, &ignored))
		return;
	f->near.deadline += clock_now_ns() - begin;
	module_select(m, f->wanted, found, f);
	module_offer_near(m, &f->near);
}

/* The function with this name in a target, or the nearest one; NULL: none. */
static const char *find_function(struct functions *f, const struct tracer *t,
				 const char *name)
{
	uint64_t deadline = clock_now_ns() + LOAD_MS * UINT64_C(1000000);

	*f = (struct functions){.wanted = name};
	near_begin_strict(&f->near, name, 1);
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct modules *all = t->targets.data[i]->modules;

		for (size_t k = 0; all && k < all->len && !f->is_found; k++)
			if (clock_now_ns() < deadline)
				look_into(f, all->data[k]);
	}
	return f->is_found ? name : near_first(&f->near);
}

/* "processCommand", "cook:entry", "libc:malloc:entry": without the provider. */
static bool lacks_provider(const struct suggest *s)
{
	bool is_bare = !*s->field[2];
	const char *function = s->field[is_bare ? 3 : 2], *name;
	struct functions f;

	if (*s->field[0] || !is_word(function) || s->t->targets.len == 0)
		return false;
	function = find_function(&f, s->t, function);
	if (!function)
		return false;
	name = is_bare || !*s->field[3] ? "entry" : meant_name(s->field[3]);
	return propose(s,
		       (const char *const[4]){"pid$target", is_bare ? "" : s->field[1],
					      function, name ? name : s->field[3]});
}

/* "sdt:sched::sched_swich", "tracepoint:sched:sched_switch" */
static bool is_event(const struct suggest *s)
{
	const char *found[4];

	return suggest_event(s->t, s->field, found) && propose(s, found);
}

/* ---- words of other tools ---- */

static const struct {
	const char *word, *hint;
} foreign[] = {
	{"begin", "in D: BEGIN"},
	{"end", "in D: END"},
	{"uprobe", "in D: pid$target:OBJECT:FUNCTION:entry, with -c or -p"},
	{"uretprobe", "in D: pid$target:OBJECT:FUNCTION:return, with -c or -p"},
	{"interval", "in D: tick-1s, tick-100ms..."},
	{"timer", "in D: tick-1s, tick-100ms..."},
	{"kprobe", "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"kretprobe",
	 "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"kfunc", "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"fentry", "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"fexit", "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"tracepoint",
	 "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"rawtracepoint",
	 "in user mode the kernel has no probes but proc::: and syscall:::"},
	{"software", "in D: profile-N and proc:::"},
	{"hardware", "in D: profile-N, which samples by time"},
	{"usdt", "in D: PROVIDER$target:OBJECT:FUNCTION:PROBE, with -c or -p; "
		 "dtrace -x object=FILE -l lists the probes of a file"},
};

/* interval:s:1 and profile:hz:99 */
static bool is_timer(const struct suggest *s)
{
	const char *kind = s->field[1], *unit = s->field[2], *n = s->field[3];
	bool is_rate = strcmp(kind, "profile") == 0 && strcmp(unit, "hz") == 0;

	if (*s->field[0] || !*n || n[strspn(n, "0123456789")] || strlen(n) > 9)
		return false;
	if (is_rate)
		snprintf(s->m->hint, sizeof(s->m->hint), "in D: profile-%s", n);
	else if (strcmp(kind, "interval") == 0 && strlen(unit) <= 2)
		snprintf(s->m->hint, sizeof(s->m->hint), "in D: tick-%s%s", n, unit);
	return *s->m->hint;
}

/* uprobe:libc:malloc, uretprobe:libc:malloc */
static bool is_uprobe(const struct suggest *s)
{
	bool is_return = strcmp(s->field[1], "uretprobe") == 0;

	if (*s->field[0] || (!is_return && strcmp(s->field[1], "uprobe") != 0))
		return false;
	return propose(s, (const char *const[4]){"pid$target", s->field[2], s->field[3],
						 is_return ? "return" : "entry"});
}

/* tracepoint:syscalls:sys_enter_openat */
static bool is_call(const struct suggest *s)
{
	static const char enter[] = "sys_enter_", leave[] = "sys_exit_";
	const char *name = s->field[3];
	bool is_return = strncmp(name, leave, strlen(leave)) == 0;

	if (strcmp(s->field[1], "tracepoint") != 0 ||
	    (!is_return && strncmp(name, enter, strlen(enter)) != 0))
		return false;
	return propose(s,
		       (const char *const[4]){"syscall", "",
					      name + strlen(is_return ? leave : enter),
					      is_return ? "return" : "entry"});
}

static bool is_foreign(const struct suggest *s)
{
	const char *word = s->field[s->first];

	if (is_timer(s) || is_uprobe(s) || is_call(s))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		if (strcasecmp(foreign[i].word, word) == 0) {
			snprintf(s->m->hint, sizeof(s->m->hint), "%s", foreign[i].hint);
			return true;
		}
	}
	return false;
}

/* ---- providers ---- */

/* "pid:libc:malloc:entry": $target was in double quotes. */
static bool has_no_process(const struct suggest *s)
{
	const char *word = s->field[s->first];

	if (strcmp(word, "pid") != 0 && strcmp(word, "fpid") != 0)
		return false;
	snprintf(s->m->hint, sizeof(s->m->hint),
		 "the number of a process is missing: in double quotes the shell "
		 "replaces $target; write '%s$target:...' in single quotes",
		 word);
	return true;
}

static bool is_provider(const struct tracer *t, const char *word)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, word) == 0)
			return true;
	return pid_digits(word);
}

/* "syscall:open:entry", "pid$target:a.out:cook": a field is missing. */
static bool lacks_field(const struct suggest *s)
{
	const char *word = s->field[s->first], *last = s->field[3];
	const char *name = meant_name(last);

	if (s->first == 0 || s->first == 3 || !is_provider(s->t, word))
		return false;
	if (!pid_digits(word) && strcmp(word, "syscall") != 0)
		return propose(s, (const char *const[4]){word, "", "", last});
	if (s->first == 2)
		return propose(s, (const char *const[4]){word, "", last, "entry"});
	if (name)
		return propose(s, (const char *const[4]){word, "", s->field[2], name});
	return propose(s, (const char *const[4]){word, s->field[2], last, "entry"});
}

/* "pdi123", "syscal" */
static bool is_provider_mistyped(const struct suggest *s)
{
	const char *word = s->field[0];
	size_t n = strcspn(word, "0123456789");
	char stem[NAME_SHOWN], full[NAME_SHOWN];
	struct near near;

	if (!is_word(word) || n >= sizeof(stem) || is_provider(s->t, word))
		return false;
	snprintf(stem, sizeof(stem), "%.*s", (int)n, word);
	near_begin(&near, stem, 1);
	near.limit = n < 7 ? 1 : 2;
	for (size_t i = 0; i < s->t->nproviders; i++)
		near_offer(&near, s->t->providers[i]->name);
	if (!near_first(&near))
		return false;
	snprintf(full, sizeof(full), "%s%.32s", near_first(&near), word + n);
	return propose(
		s, (const char *const[4]){full, s->field[1], s->field[2], s->field[3]});
}

/* ---- probes that exist ---- */

static bool has_provider(const struct suggest *s, const struct probe *p)
{
	return !*s->field[0] ||
	       strcmp(s->field[0], probes_name(&s->t->probes, p, PROBE_PROVIDER)) == 0;
}

/* Offers a field of all probes of the provider; the name is there: true. */
static bool offer_field(const struct suggest *s, enum probe_field field,
			struct near *near)
{
	const struct probes *ps = &s->t->probes;

	near_begin_strict(near, s->field[field], 1);
	for (uint32_t id = 1; id <= ps->table.len; id++) {
		const struct probe *p = probes_get(ps, id);
		const char *name = probes_name(ps, p, field);

		if (!has_provider(s, p) || !*name)
			continue;
		if (strcmp(name, s->field[field]) == 0)
			return true;
		if (strcasecmp(name, s->field[field]) == 0)
			near_offer_as(near, s->field[field], near->len, name);
		else
			near_offer(near, name);
	}
	return false;
}

/* Makes every probe that needs no description, as candidates. */
static void add_all(struct tracer *t)
{
	for (size_t i = 0; i < t->nproviders; i++)
		if (t->providers[i]->add_all)
			t->providers[i]->add_all(t->providers[i], t);
}

/* "syscall::opne:entry", "proc:::exex" */
static bool is_mistyped(const struct suggest *s)
{
	const char *function = s->field[2], *name = s->field[3];
	struct near functions = {0}, names = {0};

	if (is_word(s->field[1]))
		return false;
	add_all(s->t);
	if (is_word(function) && !offer_field(s, PROBE_FUNCTION, &functions) &&
	    !near_first(&functions))
		return false;
	if (is_word(name) && !offer_field(s, PROBE_NAME, &names) && !near_first(&names))
		return false;
	if (!near_first(&functions) && !near_first(&names))
		return false;
	return propose(s,
		       (const char *const[4]){
			       s->field[0], "",
			       near_first(&functions) ? functions.found[0] : function,
			       near_first(&names) ? names.found[0] : name});
}

/* ---- interface ---- */

static struct suggest begin(struct tracer *t, const struct dlang_probe_desc *desc,
			    struct match *m)
{
	struct suggest s = {.t = t, .m = m};

	for (int i = 0; i < 4; i++)
		s.field[i] = desc->field[i];
	while (s.first < 4 && !*s.field[s.first])
		s.first++;
	return s;
}

void suggest_description(struct tracer *t, const struct dlang_probe_desc *desc,
			 struct match *m)
{
	static bool (*const rules[])(const struct suggest *s) = {
		has_no_process, is_call,     is_event,
		is_foreign,	lacks_field, is_provider_mistyped,
		lacks_provider, is_mistyped,
	};
	const struct suggest s = begin(t, desc, m);

	for (size_t i = 0; s.first < 4 && !*m->hint && i < ARRAY_LEN(rules); i++)
		if (rules[i](&s))
			return;
}

void suggest_name(struct tracer *t, const struct dlang_probe_desc *desc,
		  struct match *m)
{
	const struct suggest s = begin(t, desc, m);
	const char *name = meant_name(s.field[3]);
	struct functions f;

	if (name)
		propose(&s, (const char *const[4]){s.field[0], s.field[1], s.field[2],
						   name});
	else if (!*s.field[2] && find_function(&f, t, s.field[3]))
		propose(&s, (const char *const[4]){s.field[0], s.field[1],
						   f.is_found ? s.field[3]
							      : near_first(&f.near),
						   "entry"});
}

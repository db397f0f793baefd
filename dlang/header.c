/* SPDX-License-Identifier: MIT */
/*
 * The C header of the providers that the programs declare (-h): for each probe a macro
 * that is a place where it fires, and one that tests whether a tracer has enabled it. The
 * header needs no other file. A place is a nop and a note in .note.stapsdt, which says
 * where the nop, the arguments and the semaphore are.
 */
#include "dlang/check/provider.h"

#include <ctype.h>
#include <string.h>

/* So many arguments stay in registers. */
#define IN_REGISTERS 6
#define ARGS_MAX     255 /* check_list_of() */

struct header {
	struct dlang *d;
	struct strbuf *out;
	const struct ast_provider *provider;
};

/* An argument of a probe in C. */
struct c_argument {
	const char *type;
	const char *width; /* of a note: -4 is a signed integer of 4 bytes */
	const char *bits;  /* NULL, or the integer type of the same size as the float */
	bool is_pointer;
	bool in_register;
};

struct c_arguments {
	uint32_t n, nspilled;
	bool has_pointer;
	struct c_argument list[ARGS_MAX];
};

/* MYAPP_LOG_MSG, for provider myapp and probe log__msg. */
static void put_macro(struct header *h, const struct ast_probe_def *v)
{
	const char *probe = provider_probe_name(h->d, v->name);

	for (const char *s = h->provider->name; *s; s++)
		strbuf_putc(h->out, (char)toupper((unsigned char)*s));
	strbuf_putc(h->out, '_');
	for (const char *s = probe; *s; s++)
		strbuf_putc(h->out, *s == '-' ? '_' : (char)toupper((unsigned char)*s));
}

/* The names of functions keep the spelling of the source, so they are unique. */
static void put_function(struct header *h, const struct ast_probe_def *v,
			 const char *kind)
{
	strbuf_printf(h->out, "__dtrace%s_%s___%s", kind, h->provider->name, v->name);
}

static uint32_t count_args(const struct ast_probe_def *v)
{
	if (!v->native->params || type_is_void(v->native->params->type))
		return 0;
	return v->native->nparams;
}

/* ---- arguments ---- */

static bool c_integer(struct c_argument *a, uint64_t size, bool is_signed)
{
	static const struct {
		uint64_t size;
		const char *type[2], *width[2]; /* unsigned, signed */
	} table[] = {
		{1, {"unsigned char", "signed char"}, {"1", "-1"}},
		{2, {"unsigned short", "short"}, {"2", "-2"}},
		{4, {"unsigned int", "int"}, {"4", "-4"}},
		{8, {"unsigned long", "long"}, {"8", "-8"}},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (table[i].size != size)
			continue;
		a->type = table[i].type[is_signed];
		a->width = table[i].width[is_signed];
		return true;
	}
	return false;
}

/*
 * The bits of a floating-point number, as an integer: gdb and bpftrace refuse the whole
 * probe if a width is not one of integers.
 */
static bool c_float(struct c_argument *a, uint64_t size)
{
	c_integer(a, size, false);
	a->bits = a->type;
	a->type = size == sizeof(float) ? "float" : "double";
	return size == sizeof(float) || size == sizeof(double);
}

/* A pointer to a type that C may not know is one to void. */
static void c_pointer(struct c_argument *a, const struct type *t)
{
	a->type = type_is_strcompat(t) ? "const char *" : "const volatile void *";
	a->width = "8";
	a->is_pointer = true;
}

/* False: no note can describe such an argument. */
static bool c_argument(struct header *h, const struct type *t, struct c_argument *a)
{
	uint64_t size = type_size(types_of(h->d), t);

	*a = (struct c_argument){0};
	if (type_is_string(t) || type_is_pointer(t)) {
		c_pointer(a, t);
		return true;
	}
	if (type_is_float(t))
		return c_float(a, size);
	return type_is_int(t) && c_integer(a, size, type_is_signed(t));
}

static int c_arguments(struct header *h, const struct ast_probe_def *v,
		       struct c_arguments *args, struct err *e)
{
	const struct ast_typename *p = v->native->params;

	*args = (struct c_arguments){.n = count_args(v)};
	for (uint32_t i = 0; i < args->n; i++, p = p->next) {
		struct c_argument *a = &args->list[i];

		if (!c_argument(h, p->type, a))
			return err_set(e, STATUS_UNSUP,
				       "argument #%u of probe %s:::%s is a %s, which "
				       "fits into no register",
				       i + 1, h->provider->name,
				       provider_probe_name(h->d, v->name),
				       p->type->name);
		a->in_register = i < IN_REGISTERS;
		args->nspilled += !a->in_register;
		args->has_pointer |= a->is_pointer;
	}
	return 0;
}

/* ---- one probe ---- */

static void put_list(struct header *h, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		strbuf_printf(h->out, "%sarg%u", i ? ", " : "", i);
}

/* "#define MYAPP_LOG_MSG(arg0, arg1) \"; the value follows on the next line. */
static void put_macro_head(struct header *h, const struct ast_probe_def *v)
{
	strbuf_puts(h->out, "#define\t");
	put_macro(h, v);
	strbuf_putc(h->out, '(');
	put_list(h, count_args(v));
	strbuf_puts(h->out, ") \\\n\t");
}

static void put_macros(struct header *h, const struct ast_probe_def *v)
{
	put_macro_head(h, v);
	put_function(h, v, "");
	strbuf_putc(h->out, '(');
	put_list(h, count_args(v));
	strbuf_puts(h->out, ")\n#define\t");
	put_macro(h, v);
	strbuf_puts(h->out, "_ENABLED() \\\n\t__builtin_expect(");
	strbuf_printf(h->out, "%s_%s_semaphore, 0)\n", h->provider->name, v->name);
}

/* Nothing is evaluated, but types are checked, and no variable is left unused. */
static void put_empty_macros(struct header *h, const struct ast_probe_def *v)
{
	put_macro_head(h, v);
	strbuf_puts(h->out, "(0 ? ");
	put_function(h, v, "");
	strbuf_putc(h->out, '(');
	put_list(h, count_args(v));
	strbuf_puts(h->out, ") : (void)0)\n#define\t");
	put_macro(h, v);
	strbuf_puts(h->out, "_ENABLED() (0)\n");
}

/* "void __dtrace_myapp___log__msg(int arg0)" */
static void put_prototype(struct header *h, const struct ast_probe_def *v,
			  const struct c_arguments *args)
{
	strbuf_puts(h->out, "void ");
	put_function(h, v, "");
	strbuf_putc(h->out, '(');
	if (args->n == 0)
		strbuf_puts(h->out, "void");
	for (uint32_t i = 0; i < args->n; i++) {
		const char *type = args->list[i].type;

		strbuf_printf(h->out, "%s%s%sarg%u", i ? ", " : "", type,
			      args->list[i].is_pointer ? "" : " ", i);
	}
	strbuf_putc(h->out, ')');
}

/* Unions that give the bits of floating-point numbers. */
static void put_bits(struct header *h, const struct c_arguments *args)
{
	for (uint32_t i = 0; i < args->n; i++) {
		const struct c_argument *a = &args->list[i];

		if (a->bits && a->in_register)
			strbuf_printf(h->out,
				      "\tunion { %s value; %s bits; } bits%u;\n",
				      a->type, a->bits, i);
	}
}

/* A struct in memory for the arguments that are in no registers. */
static void put_spilled(struct header *h, const struct c_arguments *args)
{
	if (args->nspilled == 0)
		return;
	strbuf_puts(h->out, "\tstruct {\n");
	for (uint32_t i = 0; i < args->n; i++)
		if (!args->list[i].in_register)
			strbuf_printf(h->out,
				      "\t\t%s arg%u __attribute__((__aligned__(8)));\n",
				      args->list[i].type, i);
	strbuf_puts(h->out, "\t} more;\n");
}

static void put_assignments(struct header *h, const struct c_arguments *args)
{
	for (uint32_t i = 0; i < args->n; i++) {
		if (!args->list[i].in_register)
			strbuf_printf(h->out, "\tmore.arg%u = arg%u;\n", i, i);
		else if (args->list[i].bits)
			strbuf_printf(h->out, "\tbits%u.value = arg%u;\n", i, i);
	}
}

/*
 * "-4@%0 8@%1 8@16(%2)": operands of the asm statement. A byte is in a register of 4
 * (%k0), for gdb does not know the name %r9b.
 */
static void put_operands(struct header *h, const struct c_arguments *args)
{
	uint32_t base = args->n - args->nspilled, operand = 0, offset = 0;

	for (uint32_t i = 0; i < args->n; i++) {
		const struct c_argument *a = &args->list[i];

		strbuf_printf(h->out, "%s%s@", i ? " " : "", a->width);
		if (a->in_register) {
			strbuf_printf(h->out, "%%%s%u",
				      a->width[strlen(a->width) - 1] == '1' ? "k" : "",
				      operand++);
		} else {
			strbuf_printf(h->out, "%u(%%%u)", offset, base);
			offset += 8;
		}
	}
}

static void put_inputs(struct header *h, const struct c_arguments *args)
{
	const char *sep = "";

	for (uint32_t i = 0; i < args->n; i++) {
		if (!args->list[i].in_register)
			continue;
		strbuf_printf(h->out, "%s\"nr\" (", sep);
		strbuf_printf(h->out, args->list[i].bits ? "bits%u.bits)" : "arg%u)",
			      i);
		sep = ", ";
	}
	if (args->nspilled)
		strbuf_printf(h->out, "%s\"r\" (&more), \"m\" (more)", sep);
	/* a tracer reads what a pointer points to: it must be in memory by then */
	if (args->has_pointer)
		strbuf_puts(h->out, " : \"memory\"");
}

static void put_definition(struct header *h, const struct ast_probe_def *v,
			   const struct c_arguments *args)
{
	const char *provider = h->provider->name;

	strbuf_printf(h->out, "\n_DTRACE_SEMAPHORE(%s_%s_semaphore);\n", provider,
		      v->name);
	strbuf_puts(h->out, "_DTRACE_INLINE ");
	put_prototype(h, v, args);
	strbuf_puts(h->out, "\n{\n");
	put_bits(h, args);
	put_spilled(h, args);
	put_assignments(h, args);
	strbuf_printf(h->out, "\t_DTRACE_ASM (_DTRACE_NOTE(\"%s\", \"%s\",\n\t\t\"",
		      provider, v->name);
	put_operands(h, args);
	strbuf_puts(h->out, "\") : :\n\t\t");
	put_inputs(h, args);
	strbuf_puts(h->out, ");\n}\n");
}

/* Never defined: no call of it is compiled. */
static void put_declaration(struct header *h, const struct ast_probe_def *v,
			    const struct c_arguments *args)
{
	strbuf_puts(h->out, "extern ");
	put_prototype(h, v, args);
	strbuf_puts(h->out, ";\n");
}

static void put_macros_all(struct header *h,
			   void (*put)(struct header *, const struct ast_probe_def *))
{
	for (const struct ast_probe_def *v = h->provider->probes; v; v = v->next)
		put(h, v);
	strbuf_putc(h->out, '\n');
}

typedef void function_writer(struct header *, const struct ast_probe_def *,
			     const struct c_arguments *);

static int put_functions(struct header *h, function_writer *put, struct err *e)
{
	struct c_arguments args;

	for (const struct ast_probe_def *v = h->provider->probes; v; v = v->next) {
		int rc = c_arguments(h, v, &args, e);

		if (rc)
			return rc;
		put(h, v, &args);
	}
	return 0;
}

static int put_provider(struct header *h, struct err *e)
{
	int rc;

	strbuf_puts(h->out, "\n#ifdef\t_DTRACE_NOTE\n\n");
	put_macros_all(h, put_macros);
	rc = put_functions(h, put_definition, e);
	strbuf_puts(h->out, "\n#else\n\n");
	put_macros_all(h, put_empty_macros);
	rc = rc ? rc : put_functions(h, put_declaration, e);
	strbuf_puts(h->out, "\n#endif\t/* _DTRACE_NOTE */\n");
	return rc;
}

/* ---- the file ---- */

/* The include guard, from the name of the file. */
static void put_guard(struct strbuf *out, const char *name)
{
	strbuf_putc(out, '_');
	for (; *name; name++)
		strbuf_putc(out, isalnum((unsigned char)*name)
					 ? (char)toupper((unsigned char)*name)
					 : '_');
}

/*
 * What all probes share. The nop has 5 bytes, so that a jump fits into it. The group of
 * the note is that of the function ("?"): if the linker drops one of several equal
 * functions, it drops its notes. The base tells readers by how much a program was moved
 * after it was linked (prelink).
 */
static const char common[] =
	"\n#if\t!defined(_DTRACE_NOTE) && !defined(DTRACE_NO_PROBES) && \\\n"
	"\tdefined(__GNUC__) && defined(__ELF__) && \\\n"
	"\tdefined(__x86_64__) && defined(__LP64__)\n"
	"#define\t_DTRACE_NOTE(provider, probe, args) \\\n"
	"\t\"990:\\t.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\\n\" \\\n"
	"\t\".pushsection .note.stapsdt, \\\"?\\\", \\\"note\\\"\\n\" \\\n"
	"\t\".balign 4\\n\" \\\n"
	"\t\".4byte 992f - 991f, 994f - 993f, 3\\n\" \\\n"
	"\t\"991:\\t.asciz \\\"stapsdt\\\"\\n\" \\\n"
	"\t\"992:\\t.balign 4\\n\" \\\n"
	"\t\"993:\\t.8byte 990b, _.stapsdt.base, \" provider \"_\" probe "
	"\"_semaphore\\n\" "
	"\\\n"
	"\t\".asciz \\\"\" provider \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" probe \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" args \"\\\"\\n\" \\\n"
	"\t\"994:\\t.balign 4\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".ifndef _.stapsdt.base\\n\" \\\n"
	"\t\".pushsection .stapsdt.base, \\\"aG\\\", \\\"progbits\\\", .stapsdt.base, "
	"comdat\\n\" \\\n"
	"\t\".weak _.stapsdt.base\\n\" \\\n"
	"\t\".hidden _.stapsdt.base\\n\" \\\n"
	"\t\"_.stapsdt.base:\\n\" \\\n"
	"\t\".space 1\\n\" \\\n"
	"\t\".size _.stapsdt.base, 1\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".endif\\n\"\n"
	"#define\t_DTRACE_SEMAPHORE(name) \\\n"
	"\textern volatile unsigned short name; \\\n"
	"\tvolatile unsigned short name __attribute__((__weak__, __used__, \\\n"
	"\t\t__visibility__(\"hidden\"), __section__(\".probes\")))\n"
	"#define\t_DTRACE_INLINE \\\n"
	"\tstatic __inline__ __attribute__((__always_inline__, __unused__))\n"
	"#if\tdefined(__clang__) || __GNUC__ < 9\n"
	"#define\t_DTRACE_ASM\t__asm__ __volatile__\n"
	"#else\n"
	"#define\t_DTRACE_ASM\t__asm__ __volatile__ __inline__\n"
	"#endif\n"
	"#endif\n";

int dlang_header(struct dlang *d, const char *name, struct strbuf *out, struct err *e)
{
	struct header h = {.d = d, .out = out};
	int rc = 0;

	strbuf_puts(out, "/*\n * Generated by dtrace(1).\n */\n\n#ifndef\t");
	put_guard(out, name);
	strbuf_puts(out, "\n#define\t");
	put_guard(out, name);
	strbuf_putc(out, '\n');
	strbuf_puts(out, common);
	strbuf_puts(out, "\n#ifdef\t__cplusplus\nextern \"C\" {\n#endif\n");
	for (const struct declared_provider *p = d->checker->providers; p && !rc;
	     p = p->next) {
		h.provider = p->def;
		if (!p->is_library)
			rc = put_provider(&h, e);
	}
	strbuf_puts(out, "\n#ifdef\t__cplusplus\n}\n#endif\n\n#endif\t/* ");
	put_guard(out, name);
	strbuf_puts(out, " */\n");
	return rc;
}

/* SPDX-License-Identifier: MIT */
/*
 * Text to tokens, on demand: the tokens of D depend on the context, so the parser sets
 * the mode before it asks for the next one. A macro ($1, $pid) becomes the token of its
 * value. Control lines (#pragma) take effect when the lexer reads them; the parser never
 * sees them.
 */
#ifndef DLANG_PARSE_LEX_H
#define DLANG_PARSE_LEX_H

#include "dlang/base/ast.h"
#include "dlang/base/stability.h"

struct dlang;

/*
 * Callbacks to the owner of names, the checker. D cannot be parsed without knowing which
 * names are types, and some pragmas change properties of names. The functions for
 * pragmas report errors themselves.
 */
struct lex_names {
	/* Whether the scoped name "object`name" is a type. */
	bool (*is_scoped_type)(struct dlang *d, const char *name);
	/* Whether a name that D does not know is a type of the traced program, or a
	 * usual one of the C library. */
	bool (*is_target_type)(struct dlang *d, const char *name);
	/* Whether the D program has already defined the body of "struct name". */
	bool (*is_defined_tag)(struct dlang *d, enum ast_tag_kind kind,
			       const char *name);
	/* #pragma D attributes STABILITY NAME */
	void (*attributes)(struct dlang *d, const struct ast_pos *pos, const char *name,
			   struct stability s);
	/* #pragma D attributes STABILITY provider PROVIDER FIELD */
	void (*provider_attributes)(struct dlang *d, const struct ast_pos *pos,
				    const char *provider, const char *field,
				    struct stability s);
	/* #pragma D binding VERSION NAME */
	void (*binding)(struct dlang *d, const struct ast_pos *pos, const char *name,
			uint32_t version);
};

enum tok_kind {
	TOK_END,
	TOK_ERROR,    /* the error is reported; no rule accepts this token */
	TOK_PROBE,    /* a probe specifier as written */
	TOK_PRED_END, /* the / that ends a predicate */
	TOK_INT,
	TOK_STRING,
	TOK_IDENT,
	TOK_TYPENAME, /* an identifier that names a type */
	TOK_AGG,      /* text without the @; "_" for @ alone */
#define KEYWORD(name, text, flags) KW_##name,
#define PUNCT(name, text)	   TOK_##name,
#include "dlang/parse/tok.def"
#undef KEYWORD
#undef PUNCT
	TOK_COUNT
};

enum word_flag {
	WORD_DECL = 1,
	WORD_TYPE = 2,
	WORD_MEMBER = 4,
};

struct tok {
	enum tok_kind kind;
	struct ast_pos pos;
	const char *start; /* as written, in the source text */
	size_t written;	   /* its length there */
	const char *text;  /* identifiers, strings: in the arena, terminated */
	size_t len;
	uint64_t value; /* TOK_INT */
	bool int_unsigned, int_decimal;
	bool negative; /* only from a macro argument: the value is -value */
	uint8_t int_longs;
};

enum lex_mode {
	LEX_OUTER,     /* between clauses: specifiers and declarations */
	LEX_PREDICATE, /* "/" may end the predicate */
	LEX_BODY,      /* expressions, statements, the rest of a declaration */
};

struct lexer {
	struct dlang *d;
	const struct lex_names *names;
	const char *p; /* the next character */
	const char *line_start;
	uint32_t line;
	const char *file; /* as ast_pos.file */
	enum lex_mode mode;
	int parens, brackets, braces; /* open ones */
	bool mute;		      /* report nothing, ignore pragmas */
	bool has_token;		      /* one was read */
	bool last_arg_used;	      /* the program uses the last operand, by $N */
};

/* Once for a run: registers the type names of D. */
void lex_init(struct dlang *d);
void lex_release(struct dlang *d);
/* Starts at the beginning of d->src. names is borrowed. */
void lex_begin(struct lexer *lx, struct dlang *d, const struct lex_names *names);
/* Registers a typedef, for the rest of the run. */
void lex_add_typename(struct dlang *d, const char *name);
/* The next token. At the end TOK_END, as often as it is called. */
void lex_next(struct lexer *lx, struct tok *t);
/* The position of a character at or after line_start. */
struct ast_pos lex_pos(const struct lexer *lx, const char *p);
/* Reports an error unless muted. Returns STATUS_SYNTAX. */
int lex_error(struct lexer *lx, const struct ast_pos *pos, const char *tag,
	      const char *fmt, ...) ATTR_PRINTF(4, 5);
/* "INT", "KW_IF", "SEMI": for the token dump. */
const char *tok_name(enum tok_kind kind);
/* enum word_flag bits of a keyword; 0 for any other token. */
unsigned tok_word_flags(enum tok_kind kind);

/* ---- character classes: ASCII only, whatever the locale ---- */

static inline bool lex_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static inline bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Adds to t, the name of a tag that has just been read, what follows at once of a
 * qualified name: "::S", "<int>".
 */
void lex_tag_rest(struct lexer *lx, struct tok *t);
/* A character of C names; the backquote of scopes is none. */
static inline bool lex_is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || lex_is_digit(c) ||
	       c == '_';
}

/* ---- parts of the lexer in other files ---- */

/*
 * literal.c: scans the integer at s, of at most n characters, and makes t its TOK_INT.
 * Returns the number of characters, 0 if it is no integer. *bad: offset of a digit that
 * the base does not have, or -1. *overflow: the value does not fit.
 */
size_t lex_number(const char *s, size_t n, struct tok *t, long *bad, bool *overflow);
/*
 * Copies s[0..n) to dst, replacing escapes, and terminates it; dst has n + 1 bytes.
 * Returns the length.
 */
size_t lex_unescape(const char *s, size_t n, char *dst);
void lex_int(struct lexer *lx, struct tok *t);
void lex_string(struct lexer *lx, struct tok *t);
void lex_char(struct lexer *lx, struct tok *t);
/* lex.c: makes t the keyword, type name or identifier s[0..n). */
void lex_word(struct lexer *lx, struct tok *t, const char *s, size_t n);
/* Length of the identifier at s; 0 if there is none. */
size_t lex_ident_length(const char *s);

/* macro.c: the length of the macro name or argument number at s. */
size_t macro_length(const char *s);
/* Makes t the token of the macro at lx->p, in an expression. */
void macro_token(struct lexer *lx, struct tok *t);
/*
 * The text of the macro name[0..n) ("target", "1") for a probe specifier, in the arena;
 * NULL if there is no such macro.
 */
const char *macro_text(struct lexer *lx, const char *name, size_t n);
/* At the end of a program: reports the last operand if no $N used it. */
int macro_check_used(struct lexer *lx);

/* pragma.c: executes the control line from the # at lx->p up to end. */
void pragma_line(struct lexer *lx, const char *end);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The tree: the parser builds it, the checker annotates it. Nodes and their strings
 * lie in the arena of the struct dlang; lists are linked by next. A node that could
 * not be parsed is EXPR_ERROR, or has is_bad set: the error is reported, and later
 * passes skip the node without another message.
 *
 *	ast_clause -- probes: ast_probe, ast_probe ...
 *		   |- predicate: ast_expr or NULL
 *		   `- body: ast_stmt, ast_stmt ... -- ast_expr
 *	ast_decl   -- specs: ast_specs
 *		   `- declarators: ast_declarator ... -- derive: ast_derive ...
 */
#ifndef DLANG_BASE_AST_H
#define DLANG_BASE_AST_H

#include "vm/base/base.h"

struct type;  /* type.h */
struct ident; /* check/scope.h */

/* A position in the source. Tokens from a macro have the position of the macro. */
struct ast_pos {
	uint32_t offset;  /* bytes from the start of the source text */
	uint32_t line;	  /* 1-based, as changed by #line */
	uint32_t column;  /* 1-based, bytes */
	const char *file; /* NULL: the source itself; else named by #line */
};

enum ast_op {
#define AST_OP(name, text) AST_OP_##name,
#include "dlang/base/op.def"
#undef AST_OP
	AST_OP_COUNT
};

/* The operator as written: "+=". */
const char *ast_op_text(enum ast_op op);
/*
 * AST_OP_ADD for AST_OP_ASSIGN_ADD; AST_OP_NONE for anything else, AST_OP_ASSIGN
 * included.
 */
enum ast_op ast_op_of_assign(enum ast_op op);

/* ---- expressions ---- */

enum ast_expr_kind {
	EXPR_ERROR,  /* the error is reported */
	EXPR_INT,    /* value, int_* */
	EXPR_STRING, /* text, len */
	EXPR_VAR,    /* text, scope; a global's text may hold backquotes */
	EXPR_AGG,    /* text without the @ ("_" for @ alone); args = keys */
	EXPR_INDEX,  /* left[args]: array element or pointer; one arg or more */
	EXPR_CALL,   /* left(args) */
	EXPR_MEMBER, /* left op text; op is AST_OP_DOT or AST_OP_ARROW */
	EXPR_UNARY, /* op left; AST_OP_SIZEOF and AST_OP_STRINGOF of an expression too */
	EXPR_POSTFIX,  /* left op: AST_OP_POSTINC, AST_OP_POSTDEC */
	EXPR_BINARY,   /* left op right */
	EXPR_ASSIGN,   /* left op right: AST_OP_ASSIGN... */
	EXPR_COND,     /* left ? right : third */
	EXPR_COMMA,    /* left , right */
	EXPR_CAST,     /* (tname) left */
	EXPR_SIZEOF,   /* sizeof (tname) */
	EXPR_OFFSETOF, /* offsetof (tname, text) */
	EXPR_XLATE,    /* xlate < tname > (left) */
	EXPR_PARAM, /* text; placeholder of an argument while a definition is checked */
};

enum ast_scope {
	AST_GLOBAL,
	AST_SELF, /* self->text */
	AST_THIS, /* this->text */
};

/* The parser rejects deeper trees, so that later passes can recurse. */
#define AST_DEPTH_MAX 1000

struct ast_expr {
	enum ast_expr_kind kind;
	enum ast_op op;
	enum ast_scope scope;
	struct ast_pos pos;    /* of the operator if it is between operands */
	struct ast_expr *next; /* in args */

	struct ast_expr *left, *right, *third;
	struct ast_expr *args;
	uint32_t nargs;
	bool has_brackets; /* EXPR_AGG: "[...]" was written; further brackets
			    * are EXPR_INDEX nodes around it */
	bool is_paren;	   /* was written inside parentheses */
	struct ast_typename *tname;

	const char *text; /* terminated; a string literal may hold NULs: see len */
	size_t len;
	uint64_t value;
	/* EXPR_INT as written: the checker chooses the type from them. */
	bool int_unsigned; /* suffix u */
	uint8_t int_longs; /* number of suffixes l */
	bool int_decimal;  /* else octal or hexadecimal, which may also be unsigned */

	/* Filled by the checker; the parser leaves zeros. */
	const struct type *type;
	const struct type *declared; /* that of the member, if a translator made it */
	struct ident *ident;
	uint32_t depth; /* of the tree from here, at most AST_DEPTH_MAX */
	uint32_t flags; /* enum expr_flag of check/check.h */
	void *extra; /* by kind: struct type_member, xlation, printf_format, content */
};

/* ---- types as written ---- */

enum ast_base {
	BASE_NONE, /* "unsigned x", or nothing but a storage class */
	BASE_VOID,
	BASE_CHAR,
	BASE_INT,
	BASE_FLOAT,
	BASE_DOUBLE,
	BASE_STRING,
	BASE_NAME,   /* name: a typedef or known type name */
	BASE_TAGGED, /* tag */
};

enum ast_storage {
	STORAGE_NONE,
	STORAGE_SELF,
	STORAGE_THIS,
	STORAGE_EXTERN,
	STORAGE_TYPEDEF,
	STORAGE_AUTO, /* this and the next two: D_DECL_BADCLASS */
	STORAGE_REGISTER,
	STORAGE_STATIC,
};

enum ast_spec_flag {
	SPEC_SHORT = 1,
	SPEC_LONG = 2,
	SPEC_LONGLONG = 4, /* with SPEC_LONG clear */
	SPEC_SIGNED = 8,
	SPEC_UNSIGNED = 16,
	SPEC_CONST = 32,
	SPEC_VOLATILE = 64,
	SPEC_RESTRICT = 128,
	SPEC_USERLAND = 256,
};

enum ast_tag_kind {
	TAG_STRUCT,
	TAG_UNION,
	TAG_ENUM,
};

struct ast_enumerator {
	struct ast_pos pos;
	struct ast_enumerator *next;
	const char *name;
	struct ast_expr *value; /* NULL: one more than the one before */
};

/* "struct name", "struct name { members }", "enum { enumerators }" */
struct ast_tag {
	struct ast_pos pos; /* of the name, or of the keyword */
	enum ast_tag_kind kind;
	const char *name; /* NULL: none; may hold backquotes */
	bool has_body;
	struct ast_decl *members;
	struct ast_enumerator *enumerators;
};

/* The words before the declarators. The parser has rejected invalid combinations. */
struct ast_specs {
	struct ast_pos pos;
	enum ast_storage storage;
	enum ast_base base;
	uint32_t flags;	     /* enum ast_spec_flag */
	const char *name;    /* BASE_NAME */
	struct ast_tag *tag; /* BASE_TAGGED */
	bool is_bad;
	/* Set by the checker, once for all declarators. type NULL: error reported. */
	bool is_checked;
	const struct type *type;
};

enum ast_derive_kind {
	DERIVE_POINTER, /* qualifiers */
	DERIVE_ARRAY,	/* size; NULL for [] */
	DERIVE_ASSOC,	/* params: the key types */
	DERIVE_FUNC,	/* params */
};

/*
 * How the type of the name derives from the base type, from the name outwards: "*a[3]"
 * is
 * ARRAY 3 -> POINTER -> (the base type of the specifiers).
 */
struct ast_derive {
	enum ast_derive_kind kind;
	struct ast_pos pos;
	const char *name; /* of an array: what is declared; NULL: nothing */
	struct ast_derive *next;
	uint32_t qualifiers; /* enum ast_spec_flag */
	struct ast_expr *size;
	struct ast_typename *params;
	uint32_t nparams;
	bool varargs;
};

struct ast_declarator {
	struct ast_pos pos;
	struct ast_declarator *next;
	const char *name; /* NULL: abstract */
	struct ast_derive *derive;
	uint32_t nderive;	/* elements of derive */
	struct ast_expr *width; /* of a bit-field; else NULL */
	bool is_bad;
};

/* A type in a cast, sizeof, key list or prototype (where it may have a name). */
struct ast_typename {
	struct ast_pos pos;
	struct ast_typename *next;
	struct ast_specs *specs;
	struct ast_declarator *declarator; /* never NULL */
	/* Set by the checker. */
	const struct type *type;
};

/* ---- declarations, statements, clauses ---- */

struct ast_decl {
	struct ast_pos pos;
	struct ast_decl *next; /* among the members of a struct or union */
	struct ast_specs *specs;
	struct ast_declarator *declarators; /* may be NULL: "int;" */
};

/* inline specifiers declarator = value; */
struct ast_inline {
	struct ast_pos pos;
	struct ast_typename *what; /* the declared name and type, without parameters */
	struct ast_derive *params; /* DERIVE_ASSOC, or NULL: not the array form */
	const struct ast_expr *value; /* unchecked: each use checks a copy */
	uint32_t version; /* of the language where it is defined; 0: the latest */
};

/* member = value; of a translator */
struct ast_conversion {
	struct ast_pos pos;
	struct ast_conversion *next;
	const char *name;
	const struct ast_expr *value; /* unchecked: each use checks a copy */
};

/* translator out < in name > { members }; */
struct ast_translator {
	struct ast_pos pos;
	struct ast_typename *out, *in; /* in has a name */
	struct ast_conversion *members;
	uint32_t version; /* of the language where it is defined; 0: the latest */
};

/* probe name(native) : (output); the lists are DERIVE_FUNC */
struct ast_probe_def {
	struct ast_pos pos;
	struct ast_probe_def *next;
	const char *name; /* as written: log__msg */
	struct ast_derive *native;
	struct ast_derive *output; /* NULL: none given */
};

struct ast_provider {
	struct ast_pos pos; /* of the name */
	const char *name;
	struct ast_probe_def *probes;
};

enum ast_stmt_kind {
	STMT_EXPR, /* expr: expression, aggregation statement or action call */
	STMT_IF,   /* if (expr) then [else otherwise]; both are lists */
};

/* Empty statements leave no node; a block inside a block is flattened. */
struct ast_stmt {
	enum ast_stmt_kind kind;
	struct ast_pos pos;
	struct ast_stmt *next;
	struct ast_expr *expr;
	struct ast_stmt *then, *otherwise;
	uint32_t flags; /* the checker's own bits */
	void *extra;	/* the checker's own */
};

/* One specifier, macros expanded. */
struct ast_probe {
	struct ast_pos pos;
	struct ast_probe *next;
	const char *field[4]; /* provider, module, function, name; "" if empty */
	uint32_t id;	      /* a bare probe identifier, else 0 */
	bool is_bad;	      /* the error is reported */
};

struct ast_clause {
	struct ast_pos pos; /* of the first specifier */
	uint32_t index;	    /* number in the final image */
	struct ast_probe *probes;
	struct ast_expr *predicate; /* NULL: none */
	struct ast_stmt *body;	    /* NULL: empty, or no body: default action */
	void *extra;		    /* the checker's own */
	struct ast_clause
		*next; /* the same text, parsed for the next specifier; or NULL */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The order of statements in clauses with speculations: speculate() must precede all
 * records, and a clause with commit() must not record. After an if, the statements of
 * both branches count.
 */
#include "dlang/check/internal.h"

enum {
	HAS_DATA = 1,
	HAS_SPECULATE = 2,
	HAS_COMMIT = 4,
};

/* Statements, as what names them, that may not follow another kind of statement. */
struct rule {
	const char *tag, *what;
	unsigned after; /* one HAS_ bit */
};

static const char *after_text(unsigned after)
{
	switch (after) {
	case HAS_DATA:
		return "data-recording action(s)";
	case HAS_SPECULATE:
		return "speculate( )";
	default:
		return "commit( )";
	}
}

/* Reports the first rule that the statement violates, given what precedes it. */
static int apply(struct dlang *d, const struct ast_expr *e, unsigned before,
		 const struct rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (before & rules[i].after)
			return diag(d, &e->pos, rules[i].tag, "%s may not follow %s",
				    rules[i].what, after_text(rules[i].after));
	return 0;
}

static int check_agg_order(struct dlang *d, const struct ast_expr *e, unsigned before)
{
	static const struct rule rules[] = {
		{"D_AGG_COMM", "aggregating actions", HAS_COMMIT},
		{"D_AGG_SPEC", "aggregating actions", HAS_SPECULATE},
	};

	return apply(d, e, before, rules, ARRAY_LEN(rules));
}

static int check_speculate_order(struct dlang *d, const struct ast_expr *e,
				 unsigned before)
{
	static const struct rule rules[] = {
		{"D_SPEC_SPEC", "speculate( )", HAS_SPECULATE},
		{"D_SPEC_COMM", "speculate( )", HAS_COMMIT},
		{"D_SPEC_DREC", "speculate( )", HAS_DATA},
	};

	return apply(d, e, before, rules, ARRAY_LEN(rules));
}

static int check_commit_order(struct dlang *d, const struct ast_expr *e,
			      unsigned before)
{
	static const struct rule rules[] = {
		{"D_COMM_COMM", "commit( )", HAS_COMMIT},
		{"D_COMM_DREC", "commit( )", HAS_DATA},
	};

	return apply(d, e, before, rules, ARRAY_LEN(rules));
}

static int check_data_order(struct dlang *d, const struct ast_expr *e, unsigned before)
{
	static const struct rule data = {"D_DREC_COMM", "data-recording actions",
					 HAS_COMMIT};
	static const struct rule exits = {"D_EXIT_SPEC", "exit( )", HAS_SPECULATE};
	static const struct rule destructive = {"D_ACT_SPEC", "destructive actions",
						HAS_SPECULATE};
	const struct ident *id = e->ident;
	bool is_action = id->kind == IDENT_ACTION;
	int rc = 0;

	if (is_action && id->flags & ACT_RECORDS)
		rc = apply(d, e, before, &data, 1);
	if (!rc && is_action && id->number == ACTION_exit)
		rc = apply(d, e, before, &exits, 1);
	if (!rc && id->flags & ACT_DESTRUCTIVE)
		rc = apply(d, e, before, &destructive, 1);
	return rc;
}

/* Checks one statement and adds its effects to *before. */
static int check_one(struct dlang *d, const struct ast_expr *e, unsigned *before)
{
	unsigned adds = 0;
	int rc;

	if (e->kind == EXPR_ASSIGN && e->left->kind == EXPR_AGG)
		return check_agg_order(d, e, *before);
	if (e->kind != EXPR_CALL)
		return 0;
	if (e->ident->kind == IDENT_SUBR && e->ident->number == SUBR_speculate) {
		rc = check_speculate_order(d, e, *before);
		adds = HAS_SPECULATE;
	} else if (e->ident->kind == IDENT_SUBR && e->ident->number == SUBR_commit) {
		rc = check_commit_order(d, e, *before);
		adds = HAS_COMMIT;
	} else {
		rc = check_data_order(d, e, *before);
		if (e->ident->kind == IDENT_ACTION && e->ident->flags & ACT_RECORDS)
			adds = HAS_DATA;
	}
	*before |= adds;
	return rc;
}

static int check_list_order(struct dlang *d, const struct ast_stmt *list,
			    unsigned *before)
{
	int rc = 0;

	for (const struct ast_stmt *s = list; s && !rc; s = s->next) {
		unsigned otherwise = *before;

		if (s->kind != STMT_IF) {
			rc = check_one(d, s->expr, before);
			continue;
		}
		rc = check_list_order(d, s->then, before);
		if (!rc)
			rc = check_list_order(d, s->otherwise, &otherwise);
		*before |= otherwise;
	}
	return rc;
}

int check_order(struct dlang *d, const struct ast_stmt *body)
{
	unsigned before = 0;

	return check_list_order(d, body, &before);
}

/* SPDX-License-Identifier: MIT */
/* Aggregations: layouts, order, printa, clear and trunc, histograms. */
#include "tests/unit/support/tracer_rig.h"

#define HIST_HEADER                                                                    \
	"\n           value  ------------- Distribution ------------- count    \n"
#define PAD40 "                                        "
#define LQUANT(base, step, levels)                                                     \
	((uint64_t)(uint32_t)(base) | (uint64_t)(step) << 32 | (uint64_t)(levels) << 48)

/* One update of the aggregation numbered agg. */
struct update {
	uint32_t slot;
	int agg;
	struct rig_value keys[5];
	int64_t value, increment;
};

struct agg_case {
	const char *options;
	struct {
		enum agg_func func;
		uint64_t param;
	} aggs[6];
	int naggs;
	struct update updates[12];
	int nupdates;
	const char *printa; /* format, "" for none; NULL: printed at the end */
	int operands[4];    /* of printa, ended by -1 */
	const char *expected;
};

/* Keys of an aggregation are those of its first update. */
static const struct rig_value *keys_of(const struct agg_case *c, int agg)
{
	for (int i = 0; i < c->nupdates; i++)
		if (c->updates[i].agg == agg)
			return c->updates[i].keys;
	return c->nupdates ? c->updates[0].keys : NULL;
}

/* Every update is a clause of a probe of its own; printa is in END. */
static struct rig *start(const struct agg_case *c, uint32_t *probes)
{
	struct rig *r = rig_new();

	for (int i = 0; i < c->naggs; i++)
		rig_agg(r, c->aggs[i].func, c->aggs[i].param, keys_of(c, i));
	for (int i = 0; i < c->nupdates; i++) {
		const struct update *u = &c->updates[i];
		char name[16];

		snprintf(name, sizeof(name), "u%d", i);
		probes[i] = rig_probe(r, "t", "", name);
		probes_enable(&r->probes, probes[i], rig_clause(r));
		rig_aggregate(r, u->agg, u->keys, u->value,
			      u->increment ? u->increment : 1);
		rig_end(r);
	}
	probes_enable(&r->probes, PROBE_END, rig_clause(r));
	if (c->printa)
		rig_action(r, ACTION_printa, c->printa, NULL, c->operands);
	rig_end(r);
	rig_options(r, "quiet");
	rig_options(r, c->options);
	rig_start(r);
	return r;
}

static void check(const struct agg_case *c)
{
	uint32_t probes[ARRAY_LEN(c->updates)];
	struct rig *r = start(c, probes);

	for (int i = 0; i < c->nupdates; i++)
		rig_fire(r, c->updates[i].slot, probes[i]);
	rig_fire(r, 0, PROBE_END);
	assert_int_equal(rig_pass(r, 0), 0);
	if (!c->printa)
		assert_int_equal(consumer_print_aggregations(r->consumer), 0);
	assert_string_equal(rig_out(r), c->expected);
	/* What printa printed is not printed again. */
	if (c->printa && c->naggs == 1) {
		assert_int_equal(consumer_print_aggregations(r->consumer), 0);
		assert_string_equal(rig_out(r), "");
	}
	rig_free(r);
}

#define SUM(key, n)                                                                    \
	{                                                                              \
		0, 0, {key}, n, 0                                                      \
	}

/* Rows at the end, and what the sort options do to them. */
static void test_rows(void **state)
{
	static const struct agg_case cases[] = {
		{.aggs = {{AGG_count, 0}}, .naggs = 1, .expected = ""},
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .updates = {{.agg = 0}},
		 .nupdates = 1,
		 .expected = "                1\n"},
		/* The same key in several slots is one row. */
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {STR("b")}, 1, 0},
			     {1, 0, {STR("a")}, 1, 0},
			     {2, 0, {STR("a")}, 1, 0},
			     {2, 0, {STR("c")}, 1, 0}},
		 .nupdates = 4,
		 .expected = "  b                                                      "
			     "           1\n"
			     "  c                                                      "
			     "           1\n"
			     "  a                                                      "
			     "           2\n"},
		{.aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(1, 1), INT(2, 2), INT(4, 3), INT(8, 4)}, 5, 0},
			     {0,
			      0,
			      {INT(1, -1), INT(2, -2), INT(4, -3), INT(8, -4)},
			      6,
			      0}},
		 .nupdates = 2,
		 .expected = "   1     2        3                4                5\n"
			     "  -1    -2       -3               -4                6\n"},
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {BYTES(4, "ab\0\0")}, 1, 0},
			     {0, 0, {BYTES(4, "ab\0\1")}, 1, 0}},
		 .nupdates = 2,
		 .expected = "  ab                                                     "
			     "           1\n"
			     "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  "
			     "e  f  "
			     "0123456789abcdef\n"
			     "         0: 61 62 00 01                                  "
			     "    ab..\n"
			     "                1\n"},
		/* One of each function; avg of -1, -2 is -1. */
		{.aggs = {{AGG_avg, 0}, {AGG_sum, 0}, {AGG_min, 0}, {AGG_max, 0}},
		 .naggs = 4,
		 .updates = {{0, 0, {{0}}, -1, 0},
			     {1, 0, {{0}}, -2, 0},
			     {0, 1, {{0}}, 1, 0},
			     {1, 1, {{0}}, -4, 0},
			     {0, 2, {{0}}, 7, 0},
			     {1, 2, {{0}}, -3, 0},
			     {0, 3, {{0}}, 7, 0},
			     {1, 3, {{0}}, -3, 0}},
		 .nupdates = 8,
		 .expected = "               -1\n"
			     "               -3\n"
			     "               -3\n"
			     "                7\n"},
		{.options = "aggsortkey",
		 .aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {SUM(INT(4, 3), 1), SUM(INT(4, 1), 9), SUM(INT(4, -1), 5)},
		 .nupdates = 3,
		 .expected = "        1                9\n"
			     "        3                1\n"
			     "       -1                5\n"},
		{.options = "aggsortrev",
		 .aggs = {{AGG_sum, 0}, {AGG_sum, 0}},
		 .naggs = 2,
		 .updates = {SUM(INT(4, 1), 9),
			     SUM(INT(4, 2), 5),
			     SUM(INT(4, 3), -1),
			     {0, 1, {INT(4, 8)}, 2, 0}},
		 .nupdates = 4,
		 .expected = "        8                2\n"
			     "        1                9\n"
			     "        2                5\n"
			     "        3               -1\n"},
		{.options = "aggsortkey aggsortrev",
		 .aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {SUM(STR("a"), 9), SUM(STR("ab"), 5), SUM(STR("b"), 1)},
		 .nupdates = 3,
		 .expected = "  b                                                      "
			     "           1\n"
			     "  ab                                                     "
			     "           5\n"
			     "  a                                                      "
			     "           9\n"},
		{.options = "aggsortkey aggsortkeypos=1",
		 .aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1), INT(4, 9)}, 1, 0},
			     {0, 0, {INT(4, 2), INT(4, 8)}, 2, 0},
			     {0, 0, {INT(4, 1), INT(4, 8)}, 3, 0}},
		 .nupdates = 3,
		 .expected = "        1        8                3\n"
			     "        2        8                2\n"
			     "        1        9                1\n"},
		{.options = "aggsortkey aggsortkeypos=2", /* past the last: 0 */
		 .aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1), INT(4, 9)}, 1, 0},
			     {0, 0, {INT(4, 2), INT(4, 8)}, 2, 0}},
		 .nupdates = 2,
		 .expected = "        1        9                1\n"
			     "        2        8                2\n"},
		/* Ties of averages go by key. */
		{.aggs = {{AGG_avg, 0}},
		 .naggs = 1,
		 .updates = {SUM(INT(4, 2), 5), SUM(INT(4, 1), 5), SUM(INT(4, 3), -7)},
		 .nupdates = 3,
		 .expected = "        3               -7\n"
			     "        1                5\n"
			     "        2                5\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

static void test_printa(void **state)
{
	static const struct agg_case cases[] = {
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .updates = {{.agg = 0}},
		 .nupdates = 1,
		 .printa = "",
		 .operands = {0, -1},
		 .expected = "\n                1\n"},
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .printa = "",
		 .operands = {0, -1},
		 .expected = "\n"},
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .printa = "%@d\n",
		 .operands = {0, -1},
		 .expected = ""},
		{.aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1), STR("x")}, 5, 0},
			     {0, 0, {INT(4, 2), STR("y")}, 3, 0}},
		 .nupdates = 2,
		 .printa = "%d-%s=%@d\n",
		 .operands = {0, -1},
		 .expected = "2-y=3\n1-x=5\n"},
		/* %@ several times, other letters, width; fewer keys than there are. */
		{.aggs = {{AGG_sum, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1), STR("x")}, -2, 0}},
		 .nupdates = 1,
		 .printa = "[%@d][%@5d][%@u][%-3d][%@x] ",
		 .operands = {0, -1},
		 .expected =
			 "[-2][   -2][18446744073709551614][1  ][fffffffffffffffe] "},
		{.aggs = {{AGG_count, 0}, {AGG_avg, 0}},
		 .naggs = 2,
		 .updates = {{0, 0, {{0}}, 1, 0},
			     {0, 1, {{0}}, 3, 0},
			     {1, 1, {{0}}, 4, 0}},
		 .nupdates = 3,
		 .printa = "%@d %@d %@d\n",
		 .operands = {0, 1, -1},
		 .expected = "1 3 3\n"},
		/* * takes a key as the width. */
		{.aggs = {{AGG_count, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 5), STR("x")}, 1, 0}},
		 .nupdates = 1,
		 .printa = "[%*s]",
		 .operands = {0, -1},
		 .expected = "[    x]"},
		/* Joined: the union of keys, sorted by the first values. */
		{.aggs = {{AGG_sum, 0}, {AGG_sum, 0}},
		 .naggs = 2,
		 .updates = {{0, 0, {STR("p")}, 1, 0},
			     {0, 1, {STR("p")}, 2, 0},
			     {0, 0, {STR("q")}, 9, 0}},
		 .nupdates = 3,
		 .printa = "%s %@d %@d\n",
		 .operands = {0, 1, -1},
		 .expected = "p 1 2\nq 9 0\n"},
		{.options = "aggsortpos=1",
		 .aggs = {{AGG_sum, 0}, {AGG_sum, 0}},
		 .naggs = 2,
		 .updates = {{0, 0, {STR("p")}, 1, 0},
			     {0, 1, {STR("p")}, 2, 0},
			     {0, 0, {STR("q")}, 9, 0}},
		 .nupdates = 3,
		 .printa = "%s %@d %@d\n",
		 .operands = {0, 1, -1},
		 .expected = "q 9 0\np 1 2\n"},
		{.options = "aggsortpos=2", /* beyond the list: 0 */
		 .aggs = {{AGG_sum, 0}, {AGG_sum, 0}},
		 .naggs = 2,
		 .updates = {{0, 0, {INT(4, 1)}, 1, 0},
			     {0, 1, {INT(4, 1)}, 2, 0},
			     {0, 1, {INT(4, 2)}, -1, 0}},
		 .nupdates = 3,
		 .printa = "",
		 .operands = {0, 1, -1},
		 .expected = "\n        2                0               -1\n"
			     "        1                1                2\n"},
		{.aggs = {{AGG_sum, 0}}, /* the same one twice */
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 4, 0}},
		 .nupdates = 1,
		 .printa = "%@d %@x\n",
		 .operands = {0, 0, -1},
		 .expected = "4 4\n"},
		{.aggs = {{AGG_lquantize, LQUANT(0, 1, 1)}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 0, 0}},
		 .nupdates = 1,
		 .printa = "@c = %@d\n",
		 .operands = {0, -1},
		 .expected =
			 "@c = " HIST_HEADER "             < 0 |" PAD40 " 0        \n"
			 "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1 "
			 "       \n"
			 "            >= 1 |" PAD40 " 0        \n\n"},
		/* A missing histogram is an empty one. */
		{.aggs = {{AGG_count, 0}, {AGG_quantize, 0}},
		 .naggs = 2,
		 .updates = {{0, 0, {{0}}, 0, 0}},
		 .nupdates = 1,
		 .printa = "%@d %@d",
		 .operands = {0, 1, -1},
		 .expected = "1 " HIST_HEADER "              -1 |" PAD40 " 0        \n"
			     "               0 |" PAD40 " 0        \n"
			     "               1 |" PAD40 " 0        \n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

static void test_histograms(void **state)
{
	static const struct agg_case cases[] = {
		{.aggs = {{AGG_quantize, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 0, 0},
			     {1, 0, {{0}}, 1, 0},
			     {2, 0, {{0}}, 1, 0},
			     {0, 0, {{0}}, 3, 0},
			     {0, 0, {{0}}, 8, 0}},
		 .nupdates = 5,
		 .expected = HIST_HEADER "              -1 |                           "
					 "              0        \n"
					 "               0 |@@@@@@@@                   "
					 "              1        \n"
					 "               1 |@@@@@@@@@@@@@@@@           "
					 "              2        \n"
					 "               2 |@@@@@@@@                   "
					 "              1        \n"
					 "               4 |                           "
					 "              0        \n"
					 "               8 |@@@@@@@@                   "
					 "              1        \n"
					 "              16 |                           "
					 "              0        \n\n"},
		{.aggs = {{AGG_quantize, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 0, 2},
			     {0, 0, {{0}}, 1, 6},
			     {0, 0, {{0}}, 2, 19}},
		 .nupdates = 3,
		 .expected =
			 HIST_HEADER "              -1 |                               "
				     "          0        \n"
				     "               0 |@@@                            "
				     "          2        \n"
				     "               1 |@@@@@@@@@                      "
				     "          6        \n"
				     "               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@   "
				     "          19       \n"
				     "               4 |                               "
				     "          0        \n\n"},
		{.aggs = {{AGG_quantize, 0}}, /* both signs */
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 1, 4}, {0, 0, {{0}}, 8, -2}},
		 .nupdates = 2,
		 .expected = HIST_HEADER "               0                     |       "
					 "              0        \n"
					 "               1                     "
					 "|@@@@@@@@@@@@@        4        \n"
					 "               2                     |       "
					 "              0        \n"
					 "               4                     |       "
					 "              0        \n"
					 "               8              @@@@@@@|       "
					 "              -2       \n"
					 "              16                     |       "
					 "              0        \n\n"},
		{.aggs = {{AGG_quantize, 0}}, /* only negative counts */
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 1, -3}, {0, 0, {{0}}, 2, -1}},
		 .nupdates = 2,
		 .expected = HIST_HEADER "               0                             "
					 "            | 0        \n"
					 "               1           "
					 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       \n"
					 "               2                             "
					 "  @@@@@@@@@@| -1       \n"
					 "               4                             "
					 "            | 0        \n\n"},
		{.aggs = {{AGG_quantize,
			   0}}, /* the ends of the range have no neighbour */
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, INT64_MIN, 0}},
		 .nupdates = 1,
		 .expected = HIST_HEADER
		 "-4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1     "
		 "   \n"
		 "-2305843009213693952 |" PAD40 " 0        \n\n"},
		{.aggs = {{AGG_quantize, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, INT64_MAX, 0}},
		 .nupdates = 1,
		 .expected = HIST_HEADER
		 "2305843009213693952 |" PAD40 " 0        \n"
		 "4611686018427387904 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1      "
		 "  \n\n"},
		{.aggs = {{AGG_lquantize, LQUANT(0, 2, 5)}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, -1, 0},
			     {0, 0, {{0}}, 0, 0},
			     {0, 0, {{0}}, 3, 0},
			     {0, 0, {{0}}, 9, 0},
			     {0, 0, {{0}}, 12, 0}},
		 .nupdates = 5,
		 .expected = HIST_HEADER "             < 0 |@@@@@@@@                   "
					 "              1        \n"
					 "               0 |@@@@@@@@                   "
					 "              1        \n"
					 "               2 |@@@@@@@@                   "
					 "              1        \n"
					 "               4 |                           "
					 "              0        \n"
					 "               6 |                           "
					 "              0        \n"
					 "               8 |@@@@@@@@                   "
					 "              1        \n"
					 "           >= 10 |@@@@@@@@                   "
					 "              1        \n\n"},
		{.aggs = {{AGG_lquantize, LQUANT(-10, 5, 3)}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1)}, -7, 0}},
		 .nupdates = 1,
		 .expected = "        1" HIST_HEADER "           < -10 |" PAD40
			     " 0        \n"
			     "             -10 "
			     "|@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        \n"
			     "              -5 |" PAD40 " 0        \n\n"},
		{.options = "aggzoom",
		 .aggs = {{AGG_quantize, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 1, 2}, {0, 0, {{0}}, 2, 1}},
		 .nupdates = 2,
		 .expected = HIST_HEADER
		 "               0 |                                         0        "
		 "\n"
		 "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   2        "
		 "\n"
		 "               2 |@@@@@@@@@@@@@@@@@@@                      1        "
		 "\n"
		 "               4 |                                         0        "
		 "\n\n"},
		{.options = "encoding=utf8",
		 .aggs = {{AGG_quantize, 0}},
		 .naggs = 1,
		 .updates = {{0, 0, {{0}}, 1, 63}, {0, 0, {{0}}, 2, 1}},
		 .nupdates = 2,
		 .expected = HIST_HEADER
		 "               0 |                                         0        "
		 "\n"
		 "               1 |████████████████████████████████████"
		 "███▍ 63       \n"
		 "               2 |▋                                        1        "
		 "\n"
		 "               4 |                                         0        "
		 "\n\n"},
		/* Sorted by the sum of label times count, then by the bucket of zero. */
		{.aggs = {{AGG_lquantize, LQUANT(0, 1, 1)}},
		 .naggs = 1,
		 .updates = {{0, 0, {INT(4, 1)}, 5, 0},
			     {0, 0, {INT(4, 2)}, 0, 3},
			     {0, 0, {INT(4, 3)}, 0, 2},
			     {0, 0, {INT(4, 4)}, -5, 0}},
		 .nupdates = 4,
		 .printa = "%d",
		 .operands = {0, -1},
		 .expected = "4321"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(&cases[i]);
}

/* Steps: u update, c clear(@), t trunc(@), 2 trunc(@, 2), m trunc(@, -1), p printa. */
static void test_clear_and_trunc(void **state)
{
	static const struct {
		enum agg_func func;
		const char *steps, *expected;
	} cases[] = {
		{AGG_sum, "ucp", "1=0 2=0 3=0 |"},
		{AGG_min, "ucp", "1=0 2=0 3=0 |"},
		{AGG_min, "ucup", "2=10 1=20 3=20 |"},
		{AGG_max, "ucp", "1=0 2=0 3=0 |"},
		{AGG_avg, "ucp", "1=0 2=0 3=0 |"},
		{AGG_sum, "uptp", "2=10 1=20 3=20 ||"},
		{AGG_sum, "utup", "2=10 1=20 3=20 |"},
		{AGG_sum, "u2pup", "1=20 3=20 |2=10 1=40 3=40 |"},
		{AGG_sum, "umpup", "2=10 |1=20 2=20 3=20 |"},
		{AGG_sum, "ucup", "2=10 1=20 3=20 |"},
		{AGG_sum, "u22p", "1=20 3=20 |"},
		{AGG_sum, "u2mp", "1=20 |"},
		{AGG_count, "tp", "|"},
	};
	static const struct rig_value two[] = {INT(8, 2), {0}};
	static const struct rig_value minus_one[] = {INT(8, -1), {0}};
	static const int operand[] = {0, -1};
	static const struct {
		enum action_kind kind;
		const char *text;
		const struct rig_value *value;
	} actions[] = {
		{ACTION_clear, NULL, NULL},	  {ACTION_trunc, NULL, NULL},
		{ACTION_trunc, NULL, two},	  {ACTION_trunc, NULL, minus_one},
		{ACTION_printa, "%d=%@d ", NULL},
	};
	static const char letters[] = "ct2mp";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct rig_value key[] = {INT(4, 0), {0}};
		struct rig *r = rig_new();
		int agg = rig_agg(r, cases[i].func, 0, key);
		uint32_t update = rig_probe(r, "t", "", "u");
		uint32_t probes[ARRAY_LEN(actions)];
		static const int64_t values[] = {20, 10, 20};
		char got[512] = "";

		probes_enable(&r->probes, update, rig_clause(r));
		for (int64_t k = 0; k < 3; k++) {
			const struct rig_value keys[] = {INT(4, k + 1), {0}};

			rig_aggregate(r, agg, keys, values[k], 1);
		}
		rig_end(r);
		for (size_t a = 0; a < ARRAY_LEN(actions); a++) {
			const char name[] = {letters[a], '\0'};

			probes[a] = rig_probe(r, "t", "", name);
			probes_enable(&r->probes, probes[a], rig_clause(r));
			rig_action(r, actions[a].kind, actions[a].text,
				   actions[a].value, operand);
			rig_end(r);
		}
		rig_options(r, "quiet");
		rig_start(r);
		for (const char *s = cases[i].steps; *s; s++) {
			const char *which = strchr(letters, *s);

			rig_fire(r, 1, which ? probes[which - letters] : update);
			assert_int_equal(rig_pass(r, 0), 0);
			strcat(got, rig_out(r));
			strcat(got, *s == 'p' ? "|" : "");
		}
		assert_string_equal(got, cases[i].expected);
		rig_free(r);
	}
}

/* More keys than the table starts with, from several slots. */
static void test_many_keys(void **state)
{
	enum { KEYS = 300 };
	const struct rig_value none[] = {INT(4, 0), {0}};
	struct rig *r = rig_new();
	uint32_t probe = rig_probe(r, "t", "", "u");
	int agg = rig_agg(r, AGG_count, 0, none);
	char *expected = calloc(KEYS, 32), line[32];

	(void)state;
	probes_enable(&r->probes, probe, rig_clause(r));
	for (int k = 0; k < KEYS; k++) {
		const struct rig_value keys[] = {INT(4, k), {0}};

		snprintf(line, sizeof(line), " %8d %16d\n", k, RIG_SLOTS);
		strcat(expected, line);
		rig_aggregate(r, agg, keys, 1, 1);
	}
	rig_end(r);
	rig_start(r);
	for (uint32_t slot = 0; slot < RIG_SLOTS; slot++)
		rig_fire(r, slot, probe);
	assert_int_equal(consumer_print_aggregations(r->consumer), 0);
	assert_string_equal(rig_out(r), expected);
	free(expected);
	rig_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_printa),
		cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_clear_and_trunc),
		cmocka_unit_test(test_many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "tracer/targets/environment.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct environment {
	char **data;
	size_t len, cap;
};

static char *copy_text(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(oom_realloc(NULL, n), s, n);
}

/* Removes every NAME=... where text is NAME or NAME=...; the order stays. */
static void take_out(struct environment *env, const char *text)
{
	size_t n = strcspn(text, "="), kept = 0;

	for (size_t i = 0; i < env->len; i++) {
		char *v = env->data[i];

		if (strncmp(v, text, n) == 0 && v[n] == '=')
			free(v);
		else
			env->data[kept++] = v;
	}
	env->len = kept;
}

char **environment_new(const struct options *o)
{
	struct environment env = {0};

	for (char **v = environ; v && *v; v++)
		*vec_push(&env) = copy_text(*v);
	for (size_t i = 0; i < o->words.len; i++) {
		const struct option_word *w = &o->words.data[i];
		bool is_set = strcmp(w->name, "setenv") == 0;

		if (!is_set && strcmp(w->name, "unsetenv") != 0)
			continue;
		take_out(&env, w->text);
		if (is_set)
			*vec_push(&env) = copy_text(w->text);
	}
	*vec_push(&env) = NULL;
	return env.data;
}

void environment_free(char **env)
{
	for (char **v = env; v && *v; v++)
		free(*v);
	free(env);
}

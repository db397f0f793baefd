/* SPDX-License-Identifier: MIT */
#include "tracer/targets/command_words.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/* A position in the command, and where the next character of the words goes. */
struct splitter {
	const char *p;
	char *to;
};

/* The character after a backslash; at the end of the command the backslash itself. */
static void take_protected(struct splitter *s)
{
	if (s->p[1])
		s->p++;
	*s->to++ = *s->p++;
}

/* From a quote to after the closing one. False: there is none. */
static bool take_quoted(struct splitter *s)
{
	char quote = *s->p++;

	while (*s->p && *s->p != quote) {
		if (quote == '"' && *s->p == '\\' && s->p[1] &&
		    strchr("\"\\$`", s->p[1]))
			take_protected(s);
		else
			*s->to++ = *s->p++;
	}
	if (!*s->p)
		return false;
	s->p++;
	return true;
}

/* One word, from its first character on. False: a quote is not closed. */
static bool take_word(struct splitter *s)
{
	while (*s->p && !strchr(BLANKS, *s->p)) {
		if (*s->p == '\'' || *s->p == '"') {
			if (!take_quoted(s))
				return false;
		} else if (*s->p == '\\') {
			take_protected(s);
		} else {
			*s->to++ = *s->p++;
		}
	}
	*s->to++ = '\0';
	return true;
}

int command_words(const char *command, char ***words, struct err *e)
{
	/* words and their ends take no more bytes than the command */
	char *text = oom_realloc(NULL, strlen(command) + 2);
	struct splitter s = {command + strspn(command, BLANKS), text};
	struct {
		char **data;
		size_t len, cap;
	} list = {0};
	bool is_closed = true;

	while (*s.p && is_closed) {
		*vec_push(&list) = s.to;
		is_closed = take_word(&s);
		s.p += strspn(s.p, BLANKS);
	}
	if (list.len > 0 && is_closed) {
		*vec_push(&list) = NULL;
		*words = list.data;
		return 0;
	}
	vec_release(&list);
	free(text);
	return err_set(e, STATUS_INVAL,
		       is_closed ? "the command is empty" : "a quote is not closed");
}

void command_words_free(char **words)
{
	if (words)
		free(words[0]);
	free(words);
}

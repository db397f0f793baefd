/* SPDX-License-Identifier: MIT */
/* Operands in the syntax of AT&T, as compilers print them into notes. */
#include "symbols/notes/internal.h"

#include <ctype.h>
#include <string.h>

/* The text that is left. */
struct cursor {
	const char *at, *end;
};

static bool is_at(const struct cursor *c, char wanted)
{
	return c->at < c->end && *c->at == wanted;
}

static bool take(struct cursor *c, char wanted)
{
	bool is = is_at(c, wanted);

	c->at += is;
	return is;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);
	bool is = (size_t)(c->end - c->at) >= n && memcmp(c->at, word, n) == 0;

	c->at += is ? n : 0;
	return is;
}

/* ---- registers ---- */

struct reg {
	uint8_t number, size, shift;
};

/* rax to rdi by encoded number, without their first letter; in bytes al, sil ... */
static const char legacy[8][3] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

/* rax, eax, ax, al, ah, sil */
static bool legacy_register(const char *s, size_t n, struct reg *out)
{
	for (uint8_t i = 0; i < ARRAY_LEN(legacy); i++) {
		const char *name = legacy[i];

		*out = (struct reg){i, 8, 0};
		if (n == 3 && strchr("re", s[0]) && memcmp(s + 1, name, 2) == 0) {
			out->size = s[0] == 'r' ? 8 : 4;
			return true;
		}
		out->size = 2;
		if (n == 2 && memcmp(s, name, 2) == 0)
			return true;
		out->size = 1;
		if (i < 4 && n == 2 && s[0] == name[0] && strchr("lh", s[1])) {
			out->shift = s[1] == 'h' ? 8 : 0;
			return true;
		}
		if (i >= 4 && n == 3 && memcmp(s, name, 2) == 0 && s[2] == 'l')
			return true;
	}
	return false;
}

/* A number of one or two digits that is at most 15. */
static bool small_number(const char *s, size_t n, uint8_t *out)
{
	unsigned v = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)s[i]))
			return false;
		v = v * 10 + (unsigned)(s[i] - '0');
	}
	*out = (uint8_t)v;
	return n >= 1 && n <= 2 && v <= 15;
}

/* r8, r8d, r8w, r8b */
static bool later_register(const char *s, size_t n, struct reg *out)
{
	if (n < 2 || s[0] != 'r')
		return false;
	*out = (struct reg){0, 8, 0};
	switch (s[n - 1]) {
	case 'd':
		out->size = 4;
		break;
	case 'w':
		out->size = 2;
		break;
	case 'b':
	case 'l':
		out->size = 1;
		break;
	default:
		n++;
	}
	return small_number(s + 1, n - 2, &out->number) && out->number >= 8;
}

/* The name behind the percent sign, as far as it goes. */
static size_t name_length(const struct cursor *c)
{
	size_t n = 0;

	while (c->at + n < c->end && isalnum((unsigned char)c->at[n]))
		n++;
	return n;
}

static bool take_register(struct cursor *c, struct reg *out)
{
	size_t n = name_length(c);
	bool is = legacy_register(c->at, n, out) || later_register(c->at, n, out);

	c->at += is ? n : 0;
	return is;
}

static bool take_vector(struct cursor *c, uint8_t *number)
{
	size_t n = name_length(c);
	bool is = n > 3 && strchr("xyz", c->at[0]) && c->at[1] == 'm' &&
		  c->at[2] == 'm' && small_number(c->at + 3, n - 3, number);

	c->at += is ? n : 0;
	return is;
}

/* ---- numbers and symbols ---- */

static bool is_symbol(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool take_number(struct cursor *c, uint64_t *out)
{
	unsigned base = take_word(c, "0x") ? 16 : 10;
	const char *begin = c->at;

	*out = 0;
	while (c->at < c->end && isxdigit((unsigned char)*c->at) &&
	       (base == 16 || isdigit((unsigned char)*c->at))) {
		char digit = (char)tolower((unsigned char)*c->at++);

		*out = *out * base + (unsigned)(isdigit((unsigned char)digit)
							? digit - '0'
							: digit - 'a' + 10);
	}
	return c->at > begin && c->at - begin <= 20;
}

static bool take_symbol(struct cursor *c, struct parsed_operand *out)
{
	const char *begin = c->at;
	size_t n;

	while (c->at < c->end && is_symbol(*c->at))
		c->at++;
	n = (size_t)(c->at - begin);
	if (!n || n >= sizeof(out->symbol) || out->symbol[0])
		return false;
	memcpy(out->symbol, begin, n);
	out->symbol[n] = '\0';
	return true;
}

/* A sum of numbers and at most one symbol, which is not subtracted; it may be empty. */
static bool take_sum(struct cursor *c, struct parsed_operand *out)
{
	uint64_t sum = 0, n;
	bool is_first = true;

	while (c->at < c->end && *c->at != '(') {
		bool is_minus = take(c, '-');

		if (!is_minus && !take(c, '+') && !is_first)
			return false;
		is_first = false;
		if (c->at < c->end && isdigit((unsigned char)*c->at)) {
			if (!take_number(c, &n))
				return false;
			sum += is_minus ? 0 - n : n;
		} else if (is_minus || !take_symbol(c, out)) {
			return false;
		}
	}
	probe_operand_set_disp(&out->operand, sum);
	return true;
}

/* ---- operands ---- */

/* %base, or nothing; of 8 bytes. */
static bool take_base(struct cursor *c, uint8_t *out)
{
	struct reg r;

	*out = PROBE_OPERAND_NO_REG;
	if (!take(c, '%'))
		return true;
	if (!take_register(c, &r) || r.size != 8)
		return false;
	*out = r.number;
	return true;
}

/* (%base,%index,scale), from behind the parenthesis on. */
static bool take_registers(struct cursor *c, struct parsed_operand *out)
{
	struct probe_operand *o = &out->operand;
	uint64_t scale = 1;

	if (take_word(c, "%rip"))
		return out->symbol[0] && take(c, ')');
	if (!take_base(c, &o->base))
		return false;
	if (take(c, ',')) {
		if (!take_base(c, &o->index) || o->index == REGS_ENCODED_SP)
			return false;
		if (take(c, ',') && !take_number(c, &scale))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	o->scale = (uint8_t)scale;
	return take(c, ')');
}

static bool take_memory(struct cursor *c, struct parsed_operand *out)
{
	struct probe_operand *o = &out->operand;
	const char *begin;

	o->kind = PROBE_OPERAND_MEMORY;
	o->is_thread_local = take_word(c, "%fs:");
	begin = c->at;
	if (!take_sum(c, out) || (o->is_thread_local && out->symbol[0]))
		return false;
	return take(c, '(') ? take_registers(c, out) : c->at > begin;
}

static bool take_register_operand(struct cursor *c, struct parsed_operand *out)
{
	struct probe_operand *o = &out->operand;
	struct reg r;

	if (take_vector(c, &o->base)) {
		o->kind = PROBE_OPERAND_VECTOR;
		o->size = o->size ? o->size : 8;
		return true;
	}
	if (!take_register(c, &r))
		return false;
	o->kind = PROBE_OPERAND_REGISTER;
	o->base = r.number;
	o->shift = r.shift;
	if (!o->size || o->size > r.size)
		o->size = r.size;
	return true;
}

/* N@, -N@, Nf@. Without it, the value is signed and as wide as the register, or 8. */
static bool take_size(struct cursor *c, struct parsed_operand *out)
{
	const char *at = memchr(c->at, '@', (size_t)(c->end - c->at));
	struct probe_operand *o = &out->operand;
	uint64_t size;

	o->is_signed = true;
	if (!at)
		return true;
	o->is_signed = take(c, '-');
	if (!take_number(c, &size))
		return false;
	out->is_float = take(c, 'f');
	if (!take(c, '@') || (size != 1 && size != 2 && size != 4 && size != 8) ||
	    (out->is_float && size < 4))
		return false;
	o->is_signed = o->is_signed && !out->is_float;
	o->size = (uint8_t)size;
	return true;
}

static bool take_operand(struct cursor *c, struct parsed_operand *out)
{
	struct cursor behind = {c->at + 1, c->end};

	if (is_at(c, '%') && !take_word(&behind, "fs:")) {
		c->at++;
		return take_register_operand(c, out);
	}
	if (!take(c, '$'))
		return take_memory(c, out);
	out->operand.kind = PROBE_OPERAND_CONSTANT;
	return c->at < c->end && take_sum(c, out);
}

bool operand_parse(const char *text, size_t n, struct parsed_operand *out)
{
	struct cursor c = {text, text + n};

	*out = (struct parsed_operand){.operand = {.base = PROBE_OPERAND_NO_REG,
						   .index = PROBE_OPERAND_NO_REG,
						   .scale = 1}};
	if (!take_size(&c, out) || !take_operand(&c, out) || c.at != c.end)
		return false;
	if (!out->operand.size)
		out->operand.size = 8;
	return true;
}

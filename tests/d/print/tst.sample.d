/* SPDX-License-Identifier: MIT */
/* The sample of all kinds of members. */
typedef struct bar { int alpha; } bar_t;
typedef struct forward forward_t;
typedef struct foo {
	int a:4;
	void *b;
	struct { uint64_t alpha; } c;
	forward_t *f;
	char h[30];
	char d[3];
	bar_t e[2];
} foo_t;
BEGIN
{
	this->f = (foo_t *)alloca(sizeof (foo_t));
	this->f->a = 1;
	this->f->b = (void *)2;
	this->f->c.alpha = 3;
	this->f->f = (forward_t *)7;
	this->f->h[0] = 'a';
	this->f->h[1] = 'b';
	this->f->d[0] = '\004';
	this->f->e[0].alpha = 5;
	this->f->e[1].alpha = 6;
	print(*this->f);
	exit(0);
}

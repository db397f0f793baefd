/* SPDX-License-Identifier: MIT */
/*
 * A program in C that claims to be one in Go, which passes each member of a struct in a
 * register of its own: here 261 members, all empty but the last one.
 */
__asm__(".section .gopclntab,\"a\",@progbits\n"
	".long 0xfffffff1\n"
	".byte 0, 0, 1, 8\n"
	".quad 1, 0, 0, 72, 72, 72, 72, 72\n"
	".long 0, 100, 0x100000\n"
	".text\n");

struct empty {
};

#define MEMBERS(n)                                                                     \
	struct empty n##0, n##1, n##2, n##3, n##4, n##5, n##6, n##7, n##8, n##9;       \
	struct empty n##a, n##b, n##c, n##d, n##e, n##f, n##g, n##h, n##i, n##j

struct value {
	MEMBERS(ma);
	MEMBERS(mb);
	MEMBERS(mc);
	MEMBERS(md);
	MEMBERS(me);
	MEMBERS(mf);
	MEMBERS(mg);
	MEMBERS(mh);
	MEMBERS(mi);
	MEMBERS(mj);
	MEMBERS(mk);
	MEMBERS(ml);
	MEMBERS(mm);
	int something;
};

void work(struct value v);

__attribute__((noinline)) void work(struct value v)
{
	__asm__ volatile("" : : "r"(v.something));
}

int main(void)
{
	work((struct value){.something = 1});
	return 0;
}

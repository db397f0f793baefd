/*
 * Clauses of integers have machine code under fpid. A fault ends its clause, with ERROR at
 * once and the clauses after it; what was done before it stays.
 */
/* run: -qs @file@ -c @lined_O0@ */
int errors, later;

pid$target:a.out:[sg]*:lined.c@[47]1 { @before = count(); this->seen = uregs[R_SP] != 0; @b = sum(locals.b); @after = count(); }
pid$target:a.out:[sg]*:lined.c@[47]1 /this->seen/ { later++; }
pid$target:a.out::lined.c@39 { @i = sum(locals.i); @low = max(locals.low); @total[locals.i] = sum(locals.total); }
pid$target:a.out:place:lined.c@66 { @y = sum(locals.p->y); @own = sum(locals.own.y); }
pid$target:a.out:gone:entry { @bad = sum(*(int *)arg0); @never = count(); }
pid$target:a.out:gone:entry { @word = sum(*(int *)copyin(uregs[R_SP], 4) != 0); }
ERROR { errors++; @kinds[arg4, arg4 == 1 ? arg5 : 0] = count(); self->last = timestamp; @sites[ucaller != 0, uregs[R_SP] != 0] = count(); }
END { printa("before %@d after %@d b %@d\n", @before, @after, @b); printf("%d %d\n", later, errors); }

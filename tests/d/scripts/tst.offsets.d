/* SPDX-License-Identifier: MIT */
/* every instruction of a function: each fires once, in the order of the code */
/* run: -c @once@ */
uint64_t last;
int wrong;

pid$target:a.out:f:
/probename != "entry" && probename != "return"/
{
	seen++;
	wrong += last > uregs[R_RIP];
	last = uregs[R_RIP];
}

END
{
	printf("%s, %d out of order\n", seen >= 2 ? "several" : "too few", wrong);
}

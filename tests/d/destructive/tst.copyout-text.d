/* what the program cannot write, and where a probe is, is a fault */
/* run: -w -c @once@ */
pid$target:a.out:f:entry { at = uregs[17]; copyoutstr("x", uregs[17], 1); }
pid$target:a.out:f:entry { at = 8; copyoutstr("x", 8, 1); }
dtrace:::ERROR { printf("%d %d\n", arg4, arg5 == at); }
pid$target:a.out:f:return { printf("%d\n", (int)arg1); }

/* an instruction: which function it is of */
/* run: -c @once@ */
fpid$target:a.out:f:entry { self->f = uregs[R_RIP]; }
fpid$target:a.out:f:0, fpid$target:a.out:f:3 { printf("%s\n", probename); }
diag:::fpid { printf("%d %d %d\n", args[0], args[1] == self->f, (int)args[2]); }

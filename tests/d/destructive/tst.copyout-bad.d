/* an address that cannot be written is a bad one */
/* run: -w -o @tmp@/out -c @args@ */
ERROR { printf("fault %d at %x\n", arg4, arg5); }
pid$target:a.out:text:entry /n++ == 0/ { copyout(alloca(8), 16, 8); printf("not reached\n"); }

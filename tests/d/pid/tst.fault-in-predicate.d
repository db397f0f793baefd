/* run: -c @once@ */
pid$target:a.out:f:entry / *(int *)copyin(48, 4)/ { printf("no\n"); }
ERROR { printf("%d %d %x\n", arg2, arg4, arg5); }

/* a bad target address is a fault of its clause */
/* run: -c @once@ */
pid$target:a.out:f:entry { printf("%s\n", copyinstr(16)); }
pid$target:a.out:f:entry { x = *(int *)copyin(32, 4); }
pid$target:a.out:f:entry { printf("goes on\n"); }
ERROR { printf("%d %x\n", arg4, arg5); }

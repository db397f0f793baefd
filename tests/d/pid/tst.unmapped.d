/* addresses at the edges of the address space */
/* run: -c @once@ */
pid$target:a.out:f:entry { x = *(char *)copyin(0xffffffffffffffff, 1); }
pid$target:a.out:f:entry { x = *(char *)copyin(0x800000000000, 1); }
pid$target:a.out:f:entry { s = copyinstr(0); }
ERROR { printf("%d %x\n", arg4, arg5); }

/* a moved system call fires once for each call, also for one that a jump has left before */
/* run: -c "@caller@" */
pid$target:a.out:reads:entry { on = 1; }
pid$target:a.out:reads:return { on = 0; }
pid$target:libc.so.6:read:[0-9a-f]* /on && *(uint16_t *)copyin(uregs[17], 2) == 0x050f/ { n++; }
END { printf("%d\n", n); }

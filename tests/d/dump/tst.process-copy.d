/* what dump() asks for: one copy for all clauses of an event, as many as -x dump says */
/* run: -w -x dump=2 -c @tiny@ */
uint64_t n[int];
pid$target:a.out:main:entry { n[0] = process_copy(); n[1] = process_copy(); }
pid$target:a.out:main:entry { n[2] = process_copy(); }
pid$target:a.out:main:return { n[3] = process_copy(); }
END { printf("%d %d %d %d\n", n[0], n[1], n[2], n[3]); }

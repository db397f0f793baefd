/* what dump() asks for: one copy for all clauses of an event, as many as -x dump says */
/* run: -w -x dump=2 -c @tiny@ */
pid$target:a.out:main:entry { printf("%d %d\n", process_copy(), process_copy()); }
pid$target:a.out:main:entry { printf("%d\n", process_copy()); }
pid$target:a.out:main:return { printf("%d\n", process_copy()); }
END { printf("end\n"); }

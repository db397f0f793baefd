/* run: -c @plain@ -o @tmp@/out */
/* string constants are not written, in no place where clauses run */
ERROR { faults++; bad += arg4 != 1; }
BEGIN { bcopy("xyz", "abc", 3); printf("no\n"); }
BEGIN { printf("%s %s\n", "abc", "xyz"); }
pid$target:a.out:gamma_once:entry { bcopy("xyz", "abc", 3); printf("no\n"); }
pid$target:a.out:gamma_once:entry { bcopy((void *)"xyz", (char *)"abc" + 1, 1); printf("no\n"); }
pid$target:a.out:gamma_once:entry { printf("%s %s\n", "abc", "xyz"); }
END { printf("%d faults, %d of another kind\n", faults, bad); }

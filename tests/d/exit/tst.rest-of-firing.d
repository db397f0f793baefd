/* after exit() its clause goes on, no later clause of the firing runs */
tick-1ms { n = 1; exit(3); n++; printf("rest of the clause %d\n", n); }
tick-1ms { n = 10; printf("no\n"); @ = count(); }
END { printf("end %d\n", n); exit(4); printf("rest of END\n"); }
END { printf("no\n"); }

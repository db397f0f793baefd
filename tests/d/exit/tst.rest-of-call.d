/* the same in the firing of a call */
/* run: -c @plain@ -o @tmp@/out */
pid$target:a.out:gamma_once:entry { n = 1; exit(0); n++; printf("rest of the clause %d\n", n); }
pid$target:a.out:gamma_once:entry { n = 10; printf("no\n"); @ = count(); }
pid$target:a.out:gamma_once:return { n = 20; printf("no\n"); }
END { printf("end %d\n", n); }

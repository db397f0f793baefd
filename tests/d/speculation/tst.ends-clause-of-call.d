/* run: -c @plain@ -o @tmp@/out */
/* the same in the firing of a call */
int n, m;
BEGIN { self->s = 0; }
pid$target:a.out:gamma_once:entry { speculate(0); n = 5; }
pid$target:a.out:gamma_once:entry { self->s = speculation(); }
pid$target:a.out:gamma_once:entry { speculate(self->s); m = 1; printf("kept\n"); }
pid$target:a.out:gamma_once:entry { commit(self->s); }
END { printf("%d %d\n", n, m); }

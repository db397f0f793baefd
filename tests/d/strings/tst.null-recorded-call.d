/* run: -c @plain@ -o @tmp@/out */
/* the same in the firing of a call; the first clause gives the thread its variable */
string g;
string a[int];
self string s;
this string t;
ERROR { faults++; bad += arg4 != 1 || arg5 != 0; }
pid$target:a.out:gamma_once:entry { printf("global [%s] this [%s] %d\n", g, this->t, strlen(g)); }
pid$target:a.out:gamma_once:entry { g = a[1]; a[3] = self->s; this->t = strchr("a", 'b'); }
pid$target:a.out:gamma_once:entry { printf("%d %d %d\n", g == NULL, a[3] == NULL, this->t == NULL); }
pid$target:a.out:gamma_once:entry { trace(self->s); }
pid$target:a.out:gamma_once:entry { trace(a[1]); }
pid$target:a.out:gamma_once:entry { trace(g); }
pid$target:a.out:gamma_once:entry { trace(this->t); }
pid$target:a.out:gamma_once:entry { @[strtok("", ":")] = count(); }
END { printf("%d faults, %d of another kind\n", faults, bad); }

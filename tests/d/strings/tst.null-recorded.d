/* NULL strings are read without a fault; recording one is a bad address */
#pragma D option quiet
string g;
string a[int];
self string s;
this string t;

ERROR { printf("fault %d at %x\n", arg4, arg5); }
BEGIN { printf("global [%s] this [%s] %d\n", g, this->t, strlen(g)); }
BEGIN { printf("%d %d %d\n", self->s == NULL, a[1] == "", g == NULL); }
BEGIN { g = a[1]; self->s = a[2]; a[3] = self->s; this->t = strchr("a", 'b'); n = 1; }
BEGIN { printf("stored %d %d %d\n", n, g == NULL, this->t == NULL); }
BEGIN { trace(self->s); }
BEGIN { trace(a[1]); }
BEGIN { printf("%s", a[3]); }
BEGIN { trace(g); }
BEGIN { trace(this->t); }
BEGIN { trace(strtok("", ":")); }
BEGIN { trace(strchr("a", 'b')); }
BEGIN { trace(json("{}", "a")); }
BEGIN { @[self->s] = count(); }
BEGIN { a[strlen(self->s)] = "x"; }
BEGIN { b[self->s] = 1; }
BEGIN { printf("%s", (string)NULL); }
BEGIN { g = "g"; this->t = "t"; self->s = "s"; a[1] = "a"; }
BEGIN { printf("%s%s%s%s\n", g, this->t, self->s, a[1]); self->s = NULL; a[1] = 0; }
BEGIN { trace(self->s); }
BEGIN { printf("%d\n", a[1] == NULL); exit(0); }

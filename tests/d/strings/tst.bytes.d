/* bytes of string variables can be stored, in every scope */
string g;
self string s;
this string t;
string list[int];
struct s { string name; int n; };
struct s st;

BEGIN { this->t = probename; this->t[0] = 'b'; printf("%s %s\n", this->t, probename); }
BEGIN { g[0] = 'x'; g[1] = 'y'; g[2] = g[0]; printf("%s %d\n", g, strlen(g)); }
BEGIN { g = "abc"; copy = g; g[1] = 0; printf("%s %s\n", g, copy); }
BEGIN { self->s = "hello"; self->s[4]++; self->s[0] -= 32; printf("%s\n", self->s); }
BEGIN { list[3] = "one"; i = 1; list[3][i] = 'N'; printf("%s %c\n", list[3], list[3][i] + 1); }
BEGIN { this->t = "same"; this->u = this->t; this->u[0] = 'S'; printf("%s %s\n", this->t, this->u); }
BEGIN { st.name = "member"; st.name[0] = 'M'; st.n = 3; printf("%s %d\n", st.name, st.n); }
BEGIN { x = g[0] = 'q'; printf("%c %s %d\n", x, g, g[0]++); trace(g); }
BEGIN { self->made[2] = "zz"; self->made[2][0] = 'a'; printf("%s\n", self->made[2]); }
BEGIN { g[255] = 'z'; g[256] = 'z'; }
BEGIN { i = -1; g[i] = 'z'; }
BEGIN { exit(0); }

ERROR { printf("fault %d\n", arg4); }

/* a byte of a string of 20 KB can be stored */
/* run: -x strsize=20000 */
this string t;
BEGIN { g = "begin"; g[19000] = 'e'; this->t = g; this->t[0] = 'B'; printf("%s %s\n", g, this->t); exit(0); }
ERROR { printf("fault %d\n", arg4); exit(1); }

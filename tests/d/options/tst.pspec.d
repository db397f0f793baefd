/* a word that could be a type and a star begins a specifier */
/* run: -x pspec -Z */
int* {}
BEGIN { printf("ok\n"); exit(0); }

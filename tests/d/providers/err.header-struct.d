/* a note has no form for a struct, or for a long double */
/* command: -h -s @file@ -o @tmp@/out.h */
struct pair { int a, b; };
provider myapp { probe go(int, struct pair); };

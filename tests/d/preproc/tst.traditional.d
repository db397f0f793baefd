/* -X s: replaced inside of strings too */
/* run: -C -X s -D "A=text" */
#define SHOW(x) "x"
BEGIN { printf("%s\n", SHOW(abc)); exit(0); }

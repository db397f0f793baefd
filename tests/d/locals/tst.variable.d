/* A variable of the program that is called locals wins. */
/* run: -qs @file@ -c @lined_O0@ */
struct mine { int i; };
struct mine locals;
BEGIN { locals.i = 5; }
pid$target:a.out:sum:lined.c@39 { printf("%d\n", locals.i++); }

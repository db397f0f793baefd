/* run: -C */
#define A 1


BEGIN { trace(unknown); exit(0); }

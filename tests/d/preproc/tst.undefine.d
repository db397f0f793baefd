/* the switches act in their order */
/* run: -C -D A=1 -D B=2 -U A -U __unix */
#if !defined(A) && B == 2 && !defined(__unix)
BEGIN { printf("ok\n"); exit(0); }
#endif

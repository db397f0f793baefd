/* run: -x bufpolicy=fill -x bufsize=112 */
/* the first record without room ends tracing; what was recorded is printed, END has room */
BEGIN { i = 0; }
tick-1ms { printf("%d\n", i++); }
END { printf("end\n"); }

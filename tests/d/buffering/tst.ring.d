/* run: -x bufpolicy=ring -x bufsize=96 */
/* the oldest records are forgotten; what is left is printed at the end, without drops */
BEGIN { i = 0; }
tick-1ms { printf("%d\n", i++); }
tick-1ms /i == 50/ { exit(0); }
END { printf("end\n"); }

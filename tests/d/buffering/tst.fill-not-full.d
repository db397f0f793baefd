/* run: -x bufpolicy=fill */
/* printed at the end, in order */
BEGIN { printf("begin\n"); }
tick-1ms { printf("tick\n"); exit(3); }
END { printf("end\n"); }

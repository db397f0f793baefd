/* run: -x bufpolicy=ring */
BEGIN { printf("begin\n"); }
tick-1ms { printf("tick\n"); exit(0); }
END { printf("end\n"); }

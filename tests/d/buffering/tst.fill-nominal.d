/* run: -b 130 -x bufpolicy=fill */
/* bufsize is a multiple of 8; records of 16 bytes: eight are kept, whatever memory they take */
int i;
tick-1ms { printf("%d\n", i++); }

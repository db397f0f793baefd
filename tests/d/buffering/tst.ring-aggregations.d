/* run: -x bufpolicy=ring -x bufsize=48 */
/* aggregations are not in the ring */
BEGIN { i = 0; }
tick-1ms { @ = count(); printf("%d\n", i++); }
tick-1ms /i == 20/ { exit(0); }

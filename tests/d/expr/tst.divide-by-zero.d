/* at run time: a fault, ERROR fires with 4 */
BEGIN { z = 0; x = 5 / z; printf("no\n"); }
BEGIN { x = 5 % z; printf("no\n"); }
BEGIN { x = 7; x /= z; }
BEGIN { printf("x %d\n", x); exit(0); }
ERROR { printf("fault %d arg1 %d\n", arg4, arg1); }

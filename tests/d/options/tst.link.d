/* policies that cannot differ here */
/* run: -x late=static -x linkmode=dynamic -x disasm=8 -x debugassert=1 */
BEGIN { printf("ok\n"); exit(0); }

/* run: -x bufpolicy=fill -x bufsize=88 */
/* full within BEGIN: its later clauses do not run */
BEGIN { printf("1\n"); } BEGIN { printf("2\n"); } BEGIN { printf("3\n"); }
BEGIN { printf("4\n"); } BEGIN { printf("5\n"); } BEGIN { printf("6\n"); }
BEGIN { printf("7\n"); } BEGIN { printf("8\n"); } BEGIN { printf("9\n"); }

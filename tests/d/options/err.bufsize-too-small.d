/* no record fits at all */
/* run: -b 15 */
BEGIN { printf("%d %d %s", 1, 2, "a string"); exit(0); }

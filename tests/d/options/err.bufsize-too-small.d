/* a record that can never fit */
/* run: -b 16 */
BEGIN { printf("%d %d %s", 1, 2, "a string"); exit(0); }

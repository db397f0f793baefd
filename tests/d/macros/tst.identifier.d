/* an operand that is a name is that name */
/* run: -q -s @file@ name id long */
BEGIN { $1 = 5; $1++; printf("%d %d %d\n", name, $2, sizeof ($3)); exit(0); }

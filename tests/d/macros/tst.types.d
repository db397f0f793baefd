/* an operand that names a type is one */
/* run: int uint64_t x */
uint64_t x;
BEGIN { $3 = 5; printf("%d %d %d %d\n", sizeof ($1), sizeof ($2), x, ($1)7); exit(0); }

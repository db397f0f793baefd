/* chains, nested else, blocks without the last semicolon, empty ones */
this int n;
BEGIN {
	this->n = 3;
	if (this->n == 1) printf("one\n"); else if (this->n == 2) { printf("two\n") } else
		if (this->n == 3) { if (this->n > 5) printf("large\n"); else printf("three\n") }
		else { }
	if (this->n) ; else printf("never\n");
	if (0) { } else { ; ; printf("else\n"); }
	if (1) { if (0) printf("never\n"); } else printf("never\n");
	if (1) if (0) printf("never\n"); else printf("of the inner if\n");
	exit(0)
}

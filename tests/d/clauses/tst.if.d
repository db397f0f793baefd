/* if and else, nested and chained */
BEGIN
{
	x = 4;
	if (x == 4) printf("a"); else printf("A");
	if (x != 4) printf("B"); else printf("b");
	if (x > 4) { printf("C"); } else if (x == 4) { printf("c"); } else { printf("?"); }
	if (x > 9) printf("D"); else if (x > 8) printf("DD"); else printf("d");
	if (x) { if (x - 4) { printf("E"); } else { printf("e"); } }
	if (x) if (0) printf("F"); else printf("f");
	if (!x) { printf("G"); }
	if (x) { } else { printf("H"); }
	if (x) ; else printf("I");
	printf("\n");
	exit(0);
}

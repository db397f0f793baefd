/* ten levels */
BEGIN
{
	x = 5;
	if (x > 0) { n++; if (x > 1) { n++; if (x > 2) { n++; if (x > 3) { n++; if (x > 4) { n++; if (x > 5) { n++; if (x > 6) { n++; if (x > 7) { n++; if (x > 8) { n++; if (x > 9) { n++; printf("no"); } } } } } } } } } } 
	printf("%d\n", n);
	exit(0);
}

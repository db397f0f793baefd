/* at run time: + - * / % truncate toward zero */
BEGIN
{
	a = 7; b = -2; c = -7;
	printf("%d %d %d %d %d\n", a + b, a - b, a * b, a / b, a % b);
	printf("%d %d %d %d %d\n", c + b, c - b, c * b, c / b, c % b);
	printf("%d %d %d\n", -a, +a, - -a);
	l = 5000000000; m = -3;
	printf("%d %d %d %d\n", l * m, l / m, l % m, l - m);
	exit(0);
}

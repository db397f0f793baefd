/* a typedef stands for its type */
typedef int number;
typedef number *pointer;
typedef unsigned char byte;
number n;
byte b;
pointer p;
BEGIN
{
	n = 7; b = 511; p = (pointer)64;
	printf("%d %d %p %d %d\n", n, b, p + 1, sizeof (number), (byte)-1);
	exit(0);
}

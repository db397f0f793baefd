/* SPDX-License-Identifier: MIT */
/* An array that is full has no NUL: nothing after it is shown. */
struct s { char a[4]; char b[4]; };
struct s x;
BEGIN
{
	x.a[0] = 'a'; x.a[1] = 'b'; x.a[2] = 'c'; x.a[3] = 'd';
	x.b[0] = 'x';
	printf("[%s][%s][%6s][%.2s][%S]\n", x.a, x.b, x.a, x.a, x.a);
	exit(0);
}

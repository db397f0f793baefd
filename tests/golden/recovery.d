/* One message for each mistake, and none for what follows from it. */
int x = 3;
import y;
BEGIN, { }
a:b:c:d:e
/ (x == 1 /
{
	x = ;
	foo(1;
	for (;;) { x; }
	if (x { y } else { z }
	089; "cut
	; 1.5 + x;
	$nosuch + $1;
	(struct s *)x;
}
translator struct t < int v > { m v; };
END { x } }

BEGIN
{
	;
	if (a)
		b = 1;
	else if (c) {
		d; e
	} else
		f;
	if (g) { }
	if (h) ; else { i }
	if (j) if (k) l; else m;
	n
}
END {}

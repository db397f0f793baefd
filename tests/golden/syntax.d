/* The parser goes on behind a broken clause. */
BEGIN
{
	x = 1 +;
}

END
{
	y = (2;
}

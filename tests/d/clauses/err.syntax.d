/* the token and its place */
BEGIN
{
	x = 1 y;
}

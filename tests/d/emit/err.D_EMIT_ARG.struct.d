/*
 * A value is a number or a text.
 */
BEGIN
{
	emit("e", 1, *curpsinfo);
}

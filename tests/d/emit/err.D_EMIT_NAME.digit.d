/*
 * It does not begin with a digit.
 */
BEGIN
{
	emit("1st");
}

/*
 * It is not empty.
 */
BEGIN
{
	emit("");
}

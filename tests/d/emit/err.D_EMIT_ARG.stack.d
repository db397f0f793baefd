/*
 * A stack is neither.
 */
BEGIN
{
	emit("e", ustack());
}

/*
 * It has no value.
 */
BEGIN
{
	x = emit("e");
}

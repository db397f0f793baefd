/*
 * It is a constant.
 */
BEGIN
{
	emit(execname);
}

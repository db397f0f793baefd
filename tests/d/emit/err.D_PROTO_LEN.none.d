/*
 * The name is wanted.
 */
BEGIN
{
	emit();
}

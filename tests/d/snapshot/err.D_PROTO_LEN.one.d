/*
 * It takes nothing: the file is that of -E.
 */
BEGIN
{
	snapshot("here");
}

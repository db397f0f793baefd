/*
 * The name of an event is a word.
 */
BEGIN
{
	emit("an event");
}

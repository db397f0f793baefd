/*
 * An action has no value.
 */
BEGIN
{
	this->n = snapshot();
}

/* an assignment copies the text */
BEGIN
{
	s = "one"; t = s; s = "two";
	printf("%s %s %d\n", s, t, s == t);
	self->s = s; s = "three"; this->t = self->s; self->s = "x";
	printf("%s %s %s\n", s, self->s, this->t);
	exit(0);
}

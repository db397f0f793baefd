/*
 * A variable may be called as the action: a program for DTrace knows no snapshot().
 */
int snapshot;

BEGIN
{
	snapshot = 3;
	self->snapshot = 4;
	this->snapshot = snapshot + self->snapshot;
	printf("%d %d\n", snapshot, this->snapshot);
	exit(0);
}

/*
 * A variable may be called as the action: a program for DTrace knows no emit().
 */
int emit;

BEGIN
{
	emit = 3;
	self->emit = 4;
	this->emit = emit + self->emit;
	@emit[emit] = sum(this->emit);
	printf("%d %d\n", emit, this->emit);
	exit(0);
}

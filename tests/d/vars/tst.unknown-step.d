/* ++ and op= on an unknown name make an int64_t */
BEGIN
{
	n++; m += 3000000000; self->k--; this->j |= 0x100000000; a["x"]++;
	printf("%d %d %d %d %d\n", n, m, self->k, this->j, a["x"]);
	printf("%d %d %d %d %d\n", sizeof (n), sizeof (m), sizeof (self->k), sizeof (this->j),
	    sizeof (a["x"]));
	exit(0);
}

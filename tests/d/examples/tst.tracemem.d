/* SPDX-License-Identifier: MIT */
BEGIN
{
	this->p = alloca(6);
	bcopy("hello", this->p, 6);
	tracemem(this->p, 6);
	exit(0);
}

/* SPDX-License-Identifier: MIT */
/* The third argument limits what is shown; 0 and more than there is: all. */
BEGIN
{
	this->p = (char *)"hello world";
	n = 5;
	tracemem(this->p, 11, n);
	tracemem(this->p, 11, n - 5);
	tracemem(this->p, 11, 12);
	tracemem(this->p, 11, -1);
	tracemem(this->p, 11, 11);
	tracemem(this->p, 11, 1);
	exit(0);
}

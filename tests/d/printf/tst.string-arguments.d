/* SPDX-License-Identifier: MIT */
BEGIN
{
	x = "variable";
	this->p = (char *)"pointer";
	printf("%s|%s|%s|%s\n", x, this->p, probeprov, stringof(this->p));
	printf("%10s|%-10s|%.3s|%10.3s|\n", x, x, x, x);
	exit(0);
}

/* SPDX-License-Identifier: MIT */
provider p {
	probe many(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};
BEGIN { printf("ok\n"); exit(0); }

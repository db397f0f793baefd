/* SPDX-License-Identifier: MIT */
provider p {
	probe many(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
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
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};
BEGIN { exit(0); }

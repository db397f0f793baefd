/* run: -x dynvarsize=33g -x bufresize=manual */
/* more cells than addresses of variables can name */
BEGIN { self->x = 1; exit(0); }

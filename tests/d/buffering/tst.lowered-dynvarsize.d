/* run: -x dynvarsize=33g */
/* more cells than addresses of variables can name */
BEGIN { self->x = 1; printf("done\n"); exit(0); }

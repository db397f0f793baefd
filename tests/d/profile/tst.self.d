/* self-> belongs to the sampled thread */
/* run: -c "@spin@ 5000" */
profile-97 { self->n++; }
profile-97 /self->n == 10/ { printf("%d\n", tid != pid); }
profile-97 /self->n == 10 && done++ == 1/ { exit(0); }

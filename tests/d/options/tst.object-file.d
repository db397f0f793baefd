/* of the object file that -G would write: accepted, without effect */
/* run: -x strip -x lazyload -x linktype=dof -x ldpath=/bin/ld */
BEGIN { printf("ok\n"); exit(0); }

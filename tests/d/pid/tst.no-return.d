/* swept up by a glob it is missed silently */
/* run: -c @names@ */
pid$target:a.out:never_returns:*t*r* { printf("%s\n", probename); }

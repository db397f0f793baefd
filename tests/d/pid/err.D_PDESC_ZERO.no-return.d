/* a function that has no return has no such probe */
/* run: -c @names@ */
pid$target:a.out:never_returns:return { n++; }

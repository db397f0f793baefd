/* why there is no such probe */
/* command: -n 'pid$target:a.out:never_returns:return' -c @names@ */

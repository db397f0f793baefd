/* what a program only calls is not in it */
/* command: -n 'pid$target:a.out:strlen:entry' -c @names@ */

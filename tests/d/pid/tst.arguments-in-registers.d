/* arg0 to arg5 */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:six:entry { printf("%d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }

/* the result, the second register, the rest 0 */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:two:return { printf("%d %d %d %d %d\n", arg0 > 0, arg1, arg2, arg3, arg9); }

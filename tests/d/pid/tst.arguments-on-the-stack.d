/* arg6 to arg9 */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:ten:entry { printf("%d %d %d %d\n", arg6, arg7, arg8, arg9); }

/* casts pick the part that means something */
/* run: -o @tmp@/out -c @args@ */
pid$target:a.out:narrow:entry { printf("%d %d %d\n", (int)arg0, (unsigned char)arg1, (short)arg2); }
pid$target:a.out:narrow:return { printf("%d\n", (int)arg1); }

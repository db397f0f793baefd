/* strsize - 1 characters at most */
/* run: -o @tmp@/out -c @args@ */
#pragma D option strsize=9
pid$target:a.out:text:entry /n++ == 0/ { s = copyinstr(arg0); printf("%s|%d\n", s, strlen(s)); }

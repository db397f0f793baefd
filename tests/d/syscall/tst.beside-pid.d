/* together with breakpoints and samples */
/* run: -c "@caller@" */
pid$target:a.out:naps:entry { on = 1; }
syscall::nanosleep:entry /on/ { calls++; }
profile-97 { n++; }
END { printf("%d\n", calls); }

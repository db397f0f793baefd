/* attached amid a call: the call goes on, and has a return without an entry */
/* target: doze */
/* run: -p @pid@ */
syscall:::entry { n++; }
tick-300ms { exit(0); }
END { printf("%d\n", n >= 0); }

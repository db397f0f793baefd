/* attached inside a call: the call goes on, and has a return without an entry */
/* target: doze 30000 */
/* run: -p @pid@ */
syscall::nanosleep:entry /n++ == 10/ { exit(0); }
END { printf("%d\n", n > 10); }

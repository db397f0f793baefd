/* the same process named twice is one */
/* target: busy 20 */
/* command: -q -p @pid@ -p @pid@ -n 'pid$target:a.out:work:entry /n++ == 0/ { printf("%d\n", pid == $target); exit(0); }' */

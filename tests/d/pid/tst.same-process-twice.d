/* the same process named twice is one */
/* target: busy 20 */
/* command: -q -p @pid@ -p @pid@ -n 'pid$target:a.out:work:entry { @ = min(pid == $target); exit(0); } END { printa("%@d\n", @); }' */

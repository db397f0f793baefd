/* $target is the first process of the command line */
/* target: idle */
/* command: -q -p @pid@ -c @once@ -n 'BEGIN { printf("%d\n", $target == $1); } pid$target:a.out:main:entry { printf("no\n"); } tick-200ms { exit(0); }' @pid@ */

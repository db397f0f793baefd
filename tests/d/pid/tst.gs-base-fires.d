/* and they fire */
/* target: gsbase */
/* run: -p @pid@ */
pid$target:a.out:work:entry { printf("%d\n", arg0); exit(0); }

/* a core that cannot be written is refused; the process goes on, and prints what it prints */
/* run: -w -x dump=2 -c @threads@ */
pid$target:a.out:main:entry { dump("/nonexistent/%d", pid); gcore("/nonexistent/%s", probefunc); }

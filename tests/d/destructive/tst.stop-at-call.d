/* stop() at a system call: the process stops on its way out */
/* run: -w -c @caller@ */
int resumed, stopped;
syscall::kcmp:entry { stop(); stopped = 1; }
pid$target:a.out:reads:entry { printf("%d\n", resumed); }
/* Again, should the first one come before the stop. */
tick-300ms /stopped/ { resumed = 1; system("kill -CONT %d 2>&-", $target); }

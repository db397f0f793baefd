/* stop() at a system call: the process stops on its way out */
/* run: -w -c @caller@ */
int resumed, stopped;
syscall::kcmp:entry { stop(); stopped = 1; }
pid$target:a.out:reads:entry { printf("%d\n", resumed); }
tick-300ms /stopped && !resumed/ { resumed = 1; system("kill -CONT %d", $target); }

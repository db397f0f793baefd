/* the process stops after the probe, and SIGCONT lets it go on */
/* run: -w -c @once@ */
int resumed, stopped;
pid$target:a.out:f:entry { stop(); printf("entry\n"); stopped = 1; }
pid$target:a.out:f:return { printf("return %d\n", resumed); }
tick-400ms /stopped/ { resumed = 1; system("kill -CONT %d 2>&-", $target); }

/* the process stops behind the probe, and SIGCONT lets it go on */
/* run: -w -c @once@ */
int resumed;
pid$target:a.out:f:entry { stop(); printf("entry\n"); }
pid$target:a.out:f:return { printf("return %d\n", resumed); }
tick-400ms /!resumed/ { resumed = 1; system("kill -CONT %d", $target); }

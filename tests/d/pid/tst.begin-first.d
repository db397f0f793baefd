/* BEGIN comes before the process runs, END after all */
/* run: -c @once@ */
int begun, n;
END { printf("end %d\n", n); }
pid$target:a.out:main:entry { n++; printf("main %d\n", begun); }
BEGIN { begun = 1; printf("begin\n"); }

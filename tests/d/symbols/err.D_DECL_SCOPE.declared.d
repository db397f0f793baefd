/* run: -c @typed@ */
int a.out`counter;
BEGIN { exit(0); }

BEGIN { x = 5; y = x++ + ++x; printf("%d %d\n", y, x); exit(0); }

/* a slash ends the predicate only before { ; or the end */
BEGIN /8 / 2 / 2 == 2/ { printf("yes\n"); }
BEGIN / (10/5) == 2 / { x = 9 / 3 / 3; printf("%d\n", x); }
BEGIN /4/4/{ exit(0); }

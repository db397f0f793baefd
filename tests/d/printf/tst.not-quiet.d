/* the line of a clause that prints */
/* run: -s @file@ */
BEGIN { printf("%d-%s", 5, "x"); printf("\n"); exit(0); }

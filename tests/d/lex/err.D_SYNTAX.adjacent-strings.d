/* adjacent strings are not joined */
BEGIN { printf("a" "b"); exit(0); }

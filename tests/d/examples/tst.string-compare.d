BEGIN { printf("%d %d %d\n", "abc" < "abd", "abc" == "abc", "b" > "abc"); exit(0); }

BEGIN { printf("abc %"); exit(0); }

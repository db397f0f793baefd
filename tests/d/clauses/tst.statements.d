/* empty statements, last semicolon left out */
BEGIN { ; ; x = 1 ; ; printf("%d\n", x); ; }
BEGIN { printf("b\n"); exit(0) }

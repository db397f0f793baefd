/* -o writes the data to a file, notices stay on stderr */
/* run: -s @file@ -o @tmp@/out */
BEGIN { printf("to the file"); @ = count(); exit(0); }

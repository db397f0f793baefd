/* -G: an empty object file, and a line that says so */
/* command: -G -s @file@ -o @tmp@/out.o main.o */
provider myapp { probe go(int); };

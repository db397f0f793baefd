/* -G: an object file, without a word */
/* command: -G -s @file@ -o @tmp@/out.o main.o */
provider myapp { probe go(int); };

/* command: -h -s @file@ -o @tmp@/out.h */
provider myapp { probe go(long double); };

/* command: -G -s @file@ -o @tmp@ */
provider myapp { probe go(int); };

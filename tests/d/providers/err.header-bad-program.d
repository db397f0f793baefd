/* command: -h -o @tmp@/x -s @file@ */
provider p1 { };

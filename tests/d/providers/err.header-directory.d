/* command: -h -o @tmp@/none/x -s @file@ */
provider p { };

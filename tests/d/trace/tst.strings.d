/* short, empty and long strings in lines */
/* run: -s @file@ */
BEGIN { trace(""); }
BEGIN { trace("a string of more than thirty-three bytes"); }
BEGIN { s = "var"; trace(s); trace(probename); exit(0); }

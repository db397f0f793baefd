/* signals that are caught, and that are ignored */
/* run: -c "@caller@" */
proc:::signal-send { printf("%s %d\n", probename, arg2); }
proc:::signal-handle { printf("%s %d %d\n", probename, arg0, arg2 == uregs[17]); }
proc:::signal-discard { printf("%s %d\n", probename, arg2); }

/* every probe that a program meets */
/* run: -c "@caller@" */
proc::: { @[probename] = count(); }
END { printa("%s %@d\n", @); }

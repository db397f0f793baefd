/* -P -m -f forms */
/* command: -q -f 'pid$target:a.out:f { @[probename == "entry" || probename == "return" ? probename : "offset"] = count(); }' -c @once@ -n 'END { printa("%s\n", @); }' */

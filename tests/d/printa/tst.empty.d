/* no elements, no text */
BEGIN /0/ { @ = count(); }
BEGIN { printf("<"); printa("%@d\n", @); printf(">\n"); exit(0); }

/* a printa that never fires does not count */
BEGIN { @a = count(); }
BEGIN /0/ { printa("no %@d\n", @a); }
BEGIN { exit(0); }

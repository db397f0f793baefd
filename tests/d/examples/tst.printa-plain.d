BEGIN { @x = count(); printa(@x); exit(0); }

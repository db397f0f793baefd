BEGIN { @a = count(); printa("%@lf", @a); exit(0); }

BEGIN { @a = count(); printa("%@s", @a); exit(0); }

BEGIN { @a = count(); printa("%@d", 5); exit(0); }

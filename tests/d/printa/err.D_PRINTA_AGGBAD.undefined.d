BEGIN { printa("%@d", @nosuch); exit(0); }

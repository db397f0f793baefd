/* in BEGIN it is dtrace itself */
BEGIN { printf("%d %d\n", progenyof($pid), progenyof(999999999)); exit(0); }

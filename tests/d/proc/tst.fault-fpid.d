/* the same where the instructions were moved into a stub */
/* run: -c @faulty@ */
fpid$target:a.out:divide:, fpid$target:a.out:load: { n++; }
proc:::fault { @[args[0], args[1]->si_signo, args[1]->si_code] = count(); }
END { printa("%d %d %d %@d\n", @); }

/* the probes of a script */
/* run: -l -s @file@ */
END { trace(1); }
BEGIN { }

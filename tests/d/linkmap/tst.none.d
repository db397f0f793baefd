/* A link map that there is not. */
/* run: -Z -c '@dlmopen@ @plugin.so@' */
pid$target:LM3`plugin.so:plugged:entry,
pid$target:LMx`plugin.so:plugged:entry { printf("%s\n", probemod); }

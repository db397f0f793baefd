/* Where no site takes a jump nothing is put into the process; breakpoints are counted. */
/* run: -s @file@ -c @faulty@ */
fpid$target:a.out:undefined:entry, fpid$target:a.out:halted:entry { @[probefunc] = count(); }

/* A breakpoint that is hit often is named with its reason, though its share is small. */
/* run: -s @file@ -c @unmovable@ */
fpid$target:a.out:unmovable:entry, fpid$target:a.out:easy:entry { @[probefunc] = count(); }

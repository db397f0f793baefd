/* a process that dies of a signal */
/* run: -s @file@ -c '@dies@ segv' */
pid$target:a.out:doomed:entry { @ = count(); }

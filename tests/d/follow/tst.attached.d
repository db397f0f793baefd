/* children that a process makes after the beginning */
/* target: family crowd */
/* run: -w -x follow -p @pid@ */
pid$target:a.out:work:entry /!self->seen/ { self->seen = 1; @ = count(); }
tick-200ms /!begun/ { begun = 1; system("kill -USR1 %d", $target); }
tick-2s { exit(0); }
END { printa("%@d\n", @); }

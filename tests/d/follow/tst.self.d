/* a child begins without its parent's thread-local variables, and shares the global ones */
/* run: -x follow -c "@family@ fork" */
pid$target:a.out:work:entry /!self->seen/ { self->seen = 1; first++; }
pid$target:a.out:work:entry { all++; }
END { printf("%d %d\n", first, all); }

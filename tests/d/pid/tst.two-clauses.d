/* clauses of one probe run in program order */
/* run: -c @once@ */
pid$target:a.out:f:entry { this->x = 5; printf("one\n"); }
pid$target:a.out:f:entry /this->x == 5/ { printf("two\n"); }

/* run: -c @typed@ */
int BLUE;
pid$target:a.out:take_item:entry /args[1] == BLUE/ { trace(1); }

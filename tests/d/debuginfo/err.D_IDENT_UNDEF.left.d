/* run: -c @typed@ */
/* only right of the comparison */
pid$target:a.out:take_item:entry /BLUE == args[1]/ { trace(1); }

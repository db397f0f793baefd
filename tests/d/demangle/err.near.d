/* run: -c @named@ */
pid$target:a.out:store::fnid:entry {}

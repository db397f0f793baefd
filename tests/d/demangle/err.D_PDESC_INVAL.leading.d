/* run: -c @named@ */
pid$target:a.out:::find:entry {}

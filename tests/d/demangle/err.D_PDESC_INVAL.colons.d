/* run: -c @named@ */
pid$target:a.out:store::find:entr: {}

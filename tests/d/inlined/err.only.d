/* run: -c @inlined@ */
pid$target:a.out:only_copies:entry {}

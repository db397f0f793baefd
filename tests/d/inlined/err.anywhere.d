/* run: -c @inlined@ */
pid$target::only_copies:entry {}

/* an instruction for debuggers is refused, the others of its function are not */
/* run: -c @names@ */
pid$target:a.out:trapping: { @[probename] = count(); }

/* run: -c @typed_nodebug@ */
pid$target:a.out:narrow:entry { trace(args[0]); }

/* run: -c @typed_nodebug@ */
pid$target:a.out:nothing:entry { trace(a.out`counter); }

/* run: -c @typed@ */
pid$target:a.out:narrow:entry,pid$target:a.out:take_item:entry { trace(args[0]); }

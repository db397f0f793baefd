/* run: -c @typed@ */
pid$target:a.out:move_point:entry { trace(args[0]->z); }

/* run: -c @typed@ */
pid$target:a.out:move_point:entry { args[0]->x = 1; }

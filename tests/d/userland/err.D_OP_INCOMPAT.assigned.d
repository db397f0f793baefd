/* run: -c @typed@ */
int *p;
pid$target:a.out:move_point:entry { p = (userland int *)arg0; }

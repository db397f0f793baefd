/* -F: it ends the call as a return does */
/* run: -F -o @tmp@/out -s @file@ -c @jump@ */
pid$target:a.out:attempt:entry { self->n++; }
pid$target:a.out:attempt:entry, pid$target:a.out:deeper:entry, pid$target:a.out:leap:entry,
pid$target:a.out:attempt:return, pid$target:a.out:deeper:return, pid$target:a.out:leap:return,
pid$target:a.out:deeper:unwound, pid$target:a.out:leap:unwound /self->n == 2/ {}
pid$target:a.out:attempt:return /self->n == 2/ { self->n = 3; }

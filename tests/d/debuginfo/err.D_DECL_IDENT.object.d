/* run: -c @typed@ */
pid$target:a.out:narrow:entry { trace((libc`callback_t *)arg0); }

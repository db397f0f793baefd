/* a call that a handler interrupts: made again, ended, left by a jump */
/* run: -c "@caller@" */
pid$target:a.out:reads:entry { on = 1; }
pid$target:a.out:reads:return { on = 0; }
syscall::read:entry /on/ { printf("entry\n"); }
syscall::read:return /on/ { printf("return %d %d\n", arg0, errno); }
syscall::write:return /on/ { printf("write %d\n", arg0); }

/* only a conjunct names a process: others would be left out in silence */
syscall::read:entry /pid == 1 || execname == "init"/ { }
syscall::read:entry /pid != 1/ { }
syscall::read:entry /!(pid == 1)/ { }
tick-1s /pid == 1/ { }

/* a process that a predicate names must be one that can be traced */
syscall::read:entry /arg0 == 1 && 2147483647 == pid/ { }

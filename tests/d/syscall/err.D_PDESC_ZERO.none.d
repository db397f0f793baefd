/* no process would give this probe: no word about processes */
syscall::?zzz?:entry { }

/* calls that agree on an argument may share a clause */
/* run: -c @once@ */
syscall::read:entry, syscall::pread64:entry { @ = max(sizeof(args[2])); }

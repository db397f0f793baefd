/* -lv shows the types */
/* command: -lv -n syscall::pread64: -n syscall::getpid:entry */

/* listed without a process */
/* command: -l -n syscall::read: -n syscall::exit: -n syscall::open64:entry */

BEGIN { jstack(1, pid); }

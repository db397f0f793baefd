BEGIN { jstack("a"); }

/* nothing is known of what it points to */
BEGIN { trace(curthread->t_pri); }

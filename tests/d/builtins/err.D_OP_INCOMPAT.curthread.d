/* it is a pointer: a variable of its type takes no integer */
BEGIN { x = curthread; x = pid; }

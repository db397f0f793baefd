/* a stack is a key of aggregations only */
BEGIN { x[ustack()] = 1; }

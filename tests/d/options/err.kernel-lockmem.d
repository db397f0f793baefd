/* command: -x lockmem=unlimited -n BEGIN */

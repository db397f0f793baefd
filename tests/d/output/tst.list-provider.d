/* also under -q */
/* command: -l -q -P dtrace */

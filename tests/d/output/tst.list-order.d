/* rows follow the ids, for each specifier */
/* command: -l -n 'END, BEGIN' -i 3 */

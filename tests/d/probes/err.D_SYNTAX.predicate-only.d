/* command: -n 'BEGIN /1/' */

/* command: -x specsize=10x -n BEGIN */

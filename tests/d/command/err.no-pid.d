/* command: -p 4194300 -n BEGIN */

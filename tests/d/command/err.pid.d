/* command: -p abc -n BEGIN */

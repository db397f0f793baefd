/* command: -x metrics=nowhere -n BEGIN */

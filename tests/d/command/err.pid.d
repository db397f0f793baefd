/* command: -p no~such~process -n BEGIN */

/* command: -x metricslimit=many -n BEGIN */

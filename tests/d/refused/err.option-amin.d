/* command: -x amin=Stable/Stable/Common -n BEGIN */

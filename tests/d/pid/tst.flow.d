/* and what -F makes of it */
/* command: -F -n 'pid$target:a.out:main:entry,pid$target:a.out:f:entry,pid$target:a.out:f:return,pid$target:a.out:main:return {}' -c @once@ */

/* command: -x nspec=-1 -n BEGIN */

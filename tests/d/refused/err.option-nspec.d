/* command: -x nspec=4 -n BEGIN */

/* SPDX-License-Identifier: MIT */
fbt:bippity:boppity:boo { }

/* SPDX-License-Identifier: MIT */
BEGIN { normalize(); }

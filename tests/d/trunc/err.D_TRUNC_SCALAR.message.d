/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); trunc(@, "5"); }

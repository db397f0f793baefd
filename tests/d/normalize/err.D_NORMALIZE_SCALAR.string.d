/* SPDX-License-Identifier: MIT */
BEGIN { @ = count(); normalize(@, "5"); }

// SPDX-License-Identifier: MIT
// Hover, zoom and search of a flame graph. A click zooms to a frame, a click on a caller
// goes back; the address can select both: file.svg#zoom=NUMBER or file.svg#search=PATTERN.
"use strict";
(function () {
	const svg = document.documentElement, WIDTH = 1200, LETTER = 7;
	const unit = svg.dataset.unit;
	const byId = (id) => document.getElementById(id);
	const frames = Array.from(byId("frames").children, (g) => {
		const box = g.querySelector("rect");
		return {
			g, box, text: g.querySelector("text"), name: g.dataset.n,
			value: Number(g.dataset.v), base: g.dataset.b,
			x: Number(box.getAttribute("x")), y: Number(box.getAttribute("y")),
			w: Number(box.getAttribute("width")),
		};
	});
	const all = frames[0];
	const percent = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(2) + "%";

	function describe(f) {
		let text = f.name + " \u2014 " + f.value.toLocaleString("en") + " " + unit + ", " +
			percent(f.value, all.value);
		if (f.base !== undefined)
			text += " (before: " + percent(Number(f.base), Number(all.base)) + ")";
		return text;
	}

	function label(f, x, w) {
		const name = f.name.slice(f.name.indexOf("`") + 1);
		const room = Math.floor((w - 4) / LETTER);
		f.text.setAttribute("x", x + 3);
		f.text.textContent = room < 3 ? "" :
			name.length <= room ? name : name.slice(0, room - 2) + "..";
	}

	// The frame takes the whole width, those that it stands on as well.
	function zoom(to) {
		const scale = WIDTH / to.w, slack = 0.02;
		for (const f of frames) {
			const below = f.y > to.y && f.x <= to.x + slack &&
				f.x + f.w >= to.x + to.w - slack;
			const inside = f.y <= to.y && f.x >= to.x - slack &&
				f.x + f.w <= to.x + to.w + slack;
			const x = below ? 0 : (f.x - to.x) * scale;
			const w = below ? WIDTH : f.w * scale;
			f.g.classList.toggle("off", !below && !inside);
			f.g.classList.toggle("past", below);
			f.box.setAttribute("x", x.toFixed(2));
			f.box.setAttribute("width", w.toFixed(2));
			label(f, x, w);
		}
	}

	function matcher(pattern) {
		try {
			const r = new RegExp(pattern, "i");
			return (name) => r.test(name);
		} catch (e) {
			return (name) => name.includes(pattern);
		}
	}

	// Stacks count once, however many of their frames match.
	function search(pattern) {
		const matches = pattern ? matcher(pattern) : () => false;
		let end = -1, sum = 0;
		for (const f of frames) {
			const hit = f !== all && matches(f.name);
			f.g.classList.toggle("hit", hit);
			if (hit && f.x + f.w > end + 0.005 && f.x >= end - 0.015) {
				sum += f.value;
				end = f.x + f.w;
			}
		}
		byId("found").textContent =
			pattern ? "found: " + percent(sum, all.value) : "";
	}

	for (const f of frames) {
		const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
		title.textContent = describe(f);
		f.g.prepend(title);
		f.g.addEventListener("mouseenter",
			() => { byId("info").textContent = describe(f); });
		f.g.addEventListener("click", () => zoom(f));
	}
	byId("reset").addEventListener("click", () => zoom(all));
	function ask() {
		const pattern = prompt("Functions (a regular expression):", "");
		if (pattern !== null)
			search(pattern);
	}
	byId("search").addEventListener("click", ask);
	window.addEventListener("keydown", (e) => {
		if (e.ctrlKey && e.key === "f") {
			e.preventDefault();
			ask();
		}
	});
	const wanted = new URLSearchParams(location.hash.slice(1));
	if (frames[wanted.get("zoom")])
		zoom(frames[wanted.get("zoom")]);
	if (wanted.get("search"))
		search(wanted.get("search"));
})();

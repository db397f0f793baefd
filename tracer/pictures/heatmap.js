// SPDX-License-Identifier: MIT
// Hover of a heat map, and the scale of its colours: a click on the scale's name changes
// it, and so does the address: file.svg#scale=linear or file.svg#scale=log.
"use strict";
(function () {
	const svg = document.documentElement, LEVELS = 16, most = Number(svg.dataset.most);
	const byId = (id) => document.getElementById(id);
	const rows = Array.from(byId("rows").children, (row) => row.dataset.n);
	const cells = [];
	let scale = svg.dataset.scale;

	function level(count) {
		const part = scale === "log" ? Math.log(count) / Math.log(most) : count / most;
		return Math.min(LEVELS - 1, Math.floor(LEVELS * part));
	}

	function least(number) {
		const part = number / LEVELS;
		return Math.max(1, Math.ceil(scale === "log" ? Math.pow(most, part) : most * part));
	}

	function paint(wanted) {
		scale = most > 1 ? wanted : "linear";
		for (const cell of cells)
			cell.box.setAttribute("class", "l" + level(cell.count));
		document.querySelectorAll(".least").forEach((text, i) => {
			text.textContent = least(i * LEVELS / 4).toLocaleString("en");
		});
		byId("scale").textContent =
			"count, " + (scale === "log" ? "logarithmic" : "linear") + " scale";
	}

	for (const column of byId("cells").children) {
		const boxes = Array.from(column.children);
		const all = boxes.reduce((sum, box) => sum + Number(box.dataset.v), 0);
		for (const box of boxes) {
			const count = Number(box.dataset.v);
			const text = column.dataset.n + " \u2014 " + rows[box.dataset.r] + ": " +
				count.toLocaleString("en") + " of " + all.toLocaleString("en") +
				" (" + (100 * count / all).toFixed(1) + "%)";
			const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
			title.textContent = text;
			box.append(title);
			box.addEventListener("mouseenter", () => { byId("info").textContent = text; });
			cells.push({ box, count });
		}
	}
	byId("scale").addEventListener("click",
		() => paint(scale === "log" ? "linear" : "log"));
	const wanted = new URLSearchParams(location.hash.slice(1)).get("scale");
	if (wanted === "linear" || wanted === "log")
		paint(wanted);
})();

"use strict";
(() => {
  // Sorting: every head of a sortable table becomes a button; missing figures stay last.
  const sortable = document.querySelectorAll("table[data-sortable]");
  for (const table of sortable) {
    const body = table.tBodies[0];
    const planned = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if ("nosort" in head.dataset) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { none: "ascending", ascending: "descending", descending: "none" };
        const order = next[head.getAttribute("aria-sort") || "none"];
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        if (order !== "none") head.setAttribute("aria-sort", order);
        const sign = order === "descending" ? -1 : 1;
        const text = head.dataset.sort === "text";
        const key = (row) => {
          const cell = row.cells[column];
          if (!cell) return null;
          if (text) return cell.textContent.trim();
          return cell.dataset.value ? Number(cell.dataset.value) : null;
        };
        const rows = order === "none" ? planned : [...planned].sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          if (x === null || y === null) return (x === null) - (y === null);
          return sign * (text ? x.localeCompare(y, "en", { numeric: true }) : x - y);
        });
        body.append(...rows);
      });
    });
  }

  // Failures: a filter, and a button that copies the command.
  const filter = document.getElementById("filter");
  if (filter) {
    const bodies = [...document.getElementById("failed").tBodies];
    const texts = bodies.map((body) => body.textContent.toLowerCase());
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      bodies.forEach((body, index) => {
        body.hidden = !words.every((word) => texts[index].includes(word));
        if (!body.hidden) shown += 1;
      });
      document.getElementById("filtered").textContent = words.length ? `${shown} of ${bodies.length}` : "";
    });
    document.querySelectorAll(".command").forEach(addCopyButton);
  }
})();

"use strict";
// Heads that sort. A button proper is not printed where a table goes on on the next page.
const pressable = (head, content, press) => {
  const button = document.createElement("span");
  button.setAttribute("role", "button");
  button.tabIndex = 0;
  button.append(...content);
  head.append(button);
  button.addEventListener("click", press);
  button.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press();
  });
};

(() => {
  // Sorting: every head of a sortable table becomes a button; missing figures stay last.
  const sortable = document.querySelectorAll("table[data-sortable]");
  for (const table of sortable) {
    const body = table.tBodies[0];
    const planned = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if ("nosort" in head.dataset) return;
      pressable(head, head.childNodes, () => {
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

  // A link to something folded opens it.
  const unfold = () => {
    if (!/^#[\w-]+$/.test(location.hash)) return;
    const target = document.getElementById(location.hash.slice(1));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (target && target.closest("details")) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
})();

"use strict";
(() => {
  const source = document.getElementById("trial-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const { make, named, number, safe, conditionText, setAddress } = Drilldown;
  const $ = (id) => document.getElementById(id);
  const listed = matchMedia("(max-width: 760px)").matches ? 5 : 8;
  const order = new Intl.Collator("en", { numeric: true });

  const best = (trial) => (data.answers[trial].length === 0 || data.error[trial] !== null ? null : data.answers[trial]);
  const answer = (trial) => {
    const answers = best(trial);
    const claim = data.claim[trial];
    return answers && answers.slice((claim || 0) * data.answerWidth, ((claim || 0) + 1) * data.answerWidth);
  };
  const outcome = (trial) => (data.outcome[trial] === null ? null : data.outcomes[data.outcome[trial]]);
  const figure = (title, unit, value, digits) => ({ title, unit, width: 5, value, text: (trial) => number(value(trial), digits) });
  // References by the end of their path, which tells more than its beginning; filters and the opened trial know the whole.
  const short = (name) => (name.length > 24 && name.includes("/") ? `…${name.slice(name.lastIndexOf("/"))}` : name);
  const reference = (places) => make("span", { title: places.map((place) => safe(data.names[place])).join(", ") }, named(places.map((place) => short(data.names[place])).join(", ")));
  const scaled = (column, factor) => (trial) => (data[column][trial] === null ? null : data[column][trial] / factor);
  const columns = [
    { title: "Trial", width: 19, value: (trial) => data.id[trial], text: (trial) => named(data.id[trial]), isText: true },
    { title: "Condition", width: 16, value: (trial) => data.condition[trial], text: (trial) => named(conditionText(data.conditions[data.condition[trial]], false)) },
    figure("Length", "s", (trial) => data.conditions[data.condition[trial]].seconds),
    {
      title: "Outcome", width: 8, isText: true, value: (trial) => (outcome(trial) ? outcome(trial).name : "Not offered"),
      text: (trial) => make("span", { class: "kind" }, data.error[trial] !== null ? "Error" : outcome(trial) ? outcome(trial).name : "Not offered"),
    },
    {
      title: "Expected", width: 14, isText: true, value: (trial) => (data.expected[trial].length ? data.names[data.expected[trial][0]] : null),
      text: (trial) => (data.expected[trial].length ? reference(data.expected[trial]) : "none"),
    },
    {
      title: "Best answer", width: 14, isText: true, value: (trial) => (answer(trial) ? data.names[answer(trial)[0]] : null),
      text: (trial) => (answer(trial) ? reference([answer(trial)[0]]) : "none"),
    },
    figure("Score", "", (trial) => (answer(trial) ? answer(trial)[4] / 100 : null), 2),
    figure("Rank", "right one", (trial) => data.rank[trial]),
    figure("Offset error", "ms", (trial) => data.offsetError[trial], 1),
    figure("Frequency skew error", "%", scaled("frequencySkewError", 1e4), 4),
    figure("Time skew error", "%", scaled("timeSkewError", 1e4), 4),
    figure("SNR", "dB", scaled("snr", 100), 1),
    figure("Latency", "ms", scaled("latency", 1000), 1),
  ].filter((column) => column.isText || column.title === "Condition" || data.id.some((_, trial) => column.value(trial) !== null));

  // What narrow screens show of a trial.
  const isBrief = ({ title }) => ["Outcome", "Expected", "Best answer", "Score"].includes(title);

  // What is listed: all trials in the order of the plan, picked and sorted.
  let picked = data.id.map((_, trial) => trial);
  let page = 0;
  let sorting = { column: -1, sign: 0 };
  let texts = null;
  let shown = columns;

  // What is listed, as the page's address has it, so that a list can be sent.
  const address = () => {
    const wanted = new URLSearchParams();
    const condition = $("pick-condition").value;
    if ($("pick-outcome").value !== "") wanted.set("outcome", $("pick-outcome").value);
    if (condition !== "") wanted.set("condition", conditionText(data.conditions[Number(condition)], true));
    if ($("pick-text").value !== "") wanted.set("with", $("pick-text").value);
    if ($("pick-shown").checked) wanted.set("sound", "1");
    if (sorting.column >= 0) wanted.set(sorting.sign > 0 ? "up" : "down", columns[sorting.column].title);
    return `#trials?${wanted}`;
  };

  const pick = () => {
    texts = texts || data.id.map((id, trial) => [id, conditionText(data.conditions[data.condition[trial]], true),
      data.names[data.source[trial]], ...data.expected[trial].map((place) => data.names[place]),
      ...(answer(trial) ? [data.names[answer(trial)[0]]] : []), data.error[trial] || ""].join("\n").toLowerCase());
    const words = $("pick-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = $("pick-outcome").value;
    const condition = $("pick-condition").value;
    const isShown = $("pick-shown").checked;
    const suits = (trial) => {
      const end = outcome(trial);
      if (wanted === "failed") return data.error[trial] !== null || (end !== null && !end.isRight);
      if (wanted === "error") return data.error[trial] !== null;
      return wanted === "" || (end !== null && end.key === wanted);
    };
    picked = data.id.map((_, trial) => trial).filter((trial) => suits(trial)
      && (condition === "" || data.condition[trial] === Number(condition))
      && (!isShown || data.detail[trial] !== null) && words.every((word) => texts[trial].includes(word)));
    const { column, sign } = sorting;
    if (column >= 0) {
      const { value, isText } = columns[column];
      const keys = new Map(picked.map((trial) => [trial, value(trial)]));
      picked.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        if (x === null || y === null) return (x === null) - (y === null) || a - b;
        return sign * (isText ? order.compare(x, y) : x - y) || a - b;
      });
    }
    page = 0;
    // A column that is nearly empty says nothing here; an opened trial has its figure.
    shown = columns.filter((column) => column.isText || picked.filter((trial) => column.value(trial) !== null).length * 3 > picked.length);
    const whole = shown.reduce((sum, column) => sum + column.width, 0);
    [...head.cells].forEach((cell, place) => {
      cell.hidden = !shown.includes(columns[place]);
      cell.style.width = `${(columns[place].width / whole) * 100}%`;
      if (sorting.column === place) cell.setAttribute("aria-sort", sorting.sign > 0 ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    $("pick-order").value = sorting.column < 0 ? "" : `${sorting.sign > 0 ? "up" : "down"} ${columns[sorting.column].title}`;
    list();
  };
  // Picks what the reader chose, which the address then says.
  const choose = () => {
    pick();
    setAddress(address());
  };

  const list = () => {
    const pages = Math.max(1, Math.ceil(picked.length / listed));
    page = Math.min(Math.max(0, page), pages - 1);
    const body = $("trial-table").tBodies[0];
    body.replaceChildren(...picked.slice(page * listed, (page + 1) * listed).map((trial) => {
      const cells = shown.map((column, place) => {
        const content = column.text(trial);
        if (place > 0) {
          const label = column.unit ? `${column.title}, ${column.unit}` : column.title;
          const kind = [..."unit" in column ? ["number"] : [], ...isBrief(column) ? ["brief"] : []].join(" ");
          return make("td", { class: kind, "data-label": label }, content);
        }
        const mark = data.detail[trial] !== null ? make("span", { class: "note", title: "with sound and spectrogram" }, " ♪") : "";
        return make("th", { scope: "row" }, make("button", { type: "button", class: "open", "data-trial": trial, "aria-haspopup": "dialog" }, content), mark);
      });
      return make("tr", { class: outcome(trial) ? outcome(trial).key : "" }, ...cells);
    }));
    if (picked.length === 0) body.append(make("tr", {}, make("td", { colspan: shown.length, class: "absent" }, "No trial matches.")));
    const [from, to] = [page * listed + 1, Math.min((page + 1) * listed, picked.length)];
    const of = picked.length === data.id.length ? number(picked.length) : `${number(picked.length)}, from ${number(data.id.length)} trials`;
    $("page-place").textContent = picked.length ? `${number(from)}–${number(to)} of ${of}` : "";
    $("page-back").disabled = page === 0;
    $("page-on").disabled = page >= pages - 1;
  };

  // Opening: the dialog steps through what is listed, and gives the focus back to where it came from.
  const open = (trial, opener) => Drilldown.open(data, trial, {
    opener,
    address,
    step: (from, by) => {
      const place = picked.indexOf(from);
      return place < 0 ? undefined : picked[place + by];
    },
    closed: (last) => {
      const place = picked.indexOf(last);
      if (place >= 0 && Math.floor(place / listed) !== page) {
        page = Math.floor(place / listed);
        list();
      }
      return $("trial-table").querySelector(`button[data-trial="${last}"]`);
    },
  });

  // The heads sort.
  const head = $("trial-table").tHead.rows[0];
  columns.forEach((column, place) => {
    const cell = make("th", { scope: "col", class: "unit" in column ? "number" : "" });
    pressable(cell, [column.title, ...(column.unit ? [make("small", {}, column.unit)] : [])], () => {
      const isSame = sorting.column === place;
      sorting = isSame && sorting.sign < 0 ? { column: -1, sign: 0 } : { column: place, sign: isSame ? -1 : 1 };
      choose();
    });
    head.append(cell);
  });

  const option = (value, text) => make("option", { value }, safe(text));
  const held = data.outcomes.filter(({ key }) => data.outcome.some((place) => place !== null && data.outcomes[place].key === key));
  $("pick-outcome").append(option("", "any"), option("failed", "failed"),
    ...held.map(({ key, name }) => option(key, name)), ...(data.error.some((error) => error !== null) ? [option("error", "Error")] : []));
  $("pick-condition").append(option("", "any"), ...data.conditions.map((each, place) => option(place, conditionText(each, true))));
  if (!data.detail.some((each) => each !== null)) $("pick-shown").closest("label").hidden = true;
  $("pick-order").append(option("", "of the plan"), ...columns.flatMap(({ title }) => [
    option(`up ${title}`, `${title} ↑`), option(`down ${title}`, `${title} ↓`)]));
  const sortBy = (direction, title) => {
    const column = columns.findIndex((each) => each.title === title);
    sorting = column < 0 ? { column: -1, sign: 0 } : { column, sign: direction === "up" ? 1 : -1 };
  };
  $("pick-order").addEventListener("change", () => {
    const [direction, ...title] = $("pick-order").value.split(" ");
    sortBy(direction, title.join(" "));
    choose();
  });
  for (const id of ["pick-outcome", "pick-condition", "pick-shown"]) $(id).addEventListener("change", choose);
  $("pick-text").addEventListener("input", choose);
  const reset = () => {
    for (const id of ["pick-outcome", "pick-condition", "pick-text"]) $(id).value = "";
    $("pick-shown").checked = false;
  };
  $("pick-all").addEventListener("click", () => { reset(); choose(); });
  $("page-back").addEventListener("click", () => { page -= 1; list(); });
  $("page-on").addEventListener("click", () => { page += 1; list(); });

  $("trial-table").addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (button) open(Number(button.dataset.trial), button);
  });
  // Arrow keys go from trial to trial, over the ends of a page as well.
  $("trial-table").addEventListener("keydown", (event) => {
    const button = event.target.closest("button.open");
    if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
    const place = picked.indexOf(Number(button.dataset.trial));
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: listed, PageUp: -listed, Home: -picked.length, End: picked.length };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const next = Math.min(Math.max(0, place + moves[event.key]), picked.length - 1);
    if (Math.floor(next / listed) !== page) {
      page = Math.floor(next / listed);
      list();
    }
    const other = $("trial-table").querySelector(`button[data-trial="${picked[next]}"]`);
    if (other) other.focus();
  });

  // Links and points of charts: to one trial, or to the trials of a condition or with a text in their names.
  const follow = (wanted, opener) => {
    if ("trial" in wanted) {
      open(Number(wanted.trial), opener);
      return;
    }
    reset();
    const place = data.conditions.findIndex(({ anchor }) => anchor === wanted.condition);
    $("pick-condition").value = place < 0 ? "" : String(place);
    $("pick-text").value = wanted.text || "";
    choose();
    $("trials").scrollIntoView();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-condition], a[data-trial], a[data-text]");
    if (!link) return;
    event.preventDefault();
    follow(link.dataset, link);
  });
  document.addEventListener("trials", (event) => follow(event.detail, null));

  // What failed is listed first, unless the address asks for something else.
  const goTo = () => {
    const [name, query] = location.hash.split("?");
    if (name === "#trials" && query !== undefined) {
      const wanted = new URLSearchParams(query);
      reset();
      $("pick-outcome").value = wanted.get("outcome") || "";
      const condition = data.conditions.findIndex((each) => conditionText(each, true) === wanted.get("condition"));
      $("pick-condition").value = condition < 0 ? "" : String(condition);
      $("pick-text").value = wanted.get("with") || "";
      $("pick-shown").checked = wanted.has("sound");
      const direction = wanted.has("up") ? "up" : "down";
      sortBy(direction, wanted.get(direction));
      pick();
      $("trials").scrollIntoView();
    }
    if (!location.hash.startsWith("#trial=")) return;
    let asked = "";
    try { asked = decodeURIComponent(location.hash.slice(7)); } catch { return; }
    const trial = data.id.indexOf(asked);
    if (trial >= 0) open(trial, null);
  };
  if (data.outcome.some((place) => place !== null && !data.outcomes[place].isRight)) $("pick-outcome").value = "failed";
  pick();
  const typical = $("typical");
  if (typical) Drilldown.preview(data, Number(typical.dataset.trial), typical);
  addEventListener("hashchange", goTo);
  goTo();
})();

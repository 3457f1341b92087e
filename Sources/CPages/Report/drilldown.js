"use strict";
// One trial opened: its figures, sounds, spectrograms, candidates, votes and the command that makes it again.
const Drilldown = (() => {
  // Names come from files: they are only ever put in as text, without what could hide it or turn it around.
  const safe = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
  const put = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== false) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const make = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) => put(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const named = (text) => make("bdi", {}, safe(text));
  const number = (value, digits) => {
    if (value === null || value === undefined) return "–";
    const text = value.toLocaleString("en", { minimumFractionDigits: digits || 0, maximumFractionDigits: digits === undefined ? 3 : digits });
    return text.replace(/^-(?=[0.]*$)/, "").replace(/^-/, "−");
  };
  const conditionText = ({ name, severity, seconds }, withLength) =>
    `${name}${severity ? ` ${severity}` : ""}${withLength ? `, ${seconds} s` : ""}`;
  const percent = (millionths) => (millionths === null ? "–" : `${number(millionths / 1e4, 3)} %`);
  const roles = { query: "Query", expected: "Expected", chosen: "Best candidate" };

  // Details are in the page or in a script beside it. Scripts also load from disk.
  const arrived = new Map();
  window.earshotTrial = (trial, detail) => arrived.set(trial, detail);
  const load = (data, trial) => new Promise((resolve, reject) => {
    const element = document.getElementById(`trial-detail-${trial}`);
    if (element) { resolve(JSON.parse(element.textContent)); return; }
    if (data.detail[trial] === null) { resolve(null); return; }
    if (arrived.has(trial)) { resolve(arrived.get(trial)); return; }
    const script = document.createElement("script");
    const file = `trials/trial-${String(trial).padStart(6, "0")}.js`;
    script.src = file;
    script.onload = () => (arrived.has(trial) && arrived.get(trial).id === data.id[trial]
      ? resolve(arrived.get(trial)) : reject(new Error(`${file} is of another report.`)));
    script.onerror = () => reject(new Error(`${file} is not beside this page: sounds and peaks of this trial are missing.`));
    document.head.append(script);
  });

  const facts = (data, trial) => {
    const condition = data.conditions[data.condition[trial]];
    const truth = data.truth[trial];
    const width = data.answerWidth;
    const claim = data.claim[trial];
    const answer = data.error[trial] === null && data.answers[trial].length ? data.answers[trial].slice((claim || 0) * width, ((claim || 0) + 1) * width) : null;
    const skews = (frequency, time) => (frequency === 0 && time === 0 ? "without skew" : `frequency skew ${percent(frequency)}, time skew ${percent(time)}`);
    const place = (ms, frequency, time) => `${ms === null ? "an unknown place" : `${number(ms / 1000, 3)} s`}, ${skews(frequency, time)}`;
    const [template, ...digits] = data.chain[trial].split(" ");
    const chain = data.chains[Number(template)].reduce((text, part, index) => text + (index ? digits[index - 1] : "") + part, "");
    const rows = [
      ["Condition", named(conditionText(condition, true))],
      ["Cut from", make("span", {}, named(data.names[data.source[trial]]), data.start[trial] === null ? "" : ` at ${number(data.start[trial] / 1000, 3)} s`)],
      ["Expected", data.expected[trial].length === 0 ? "no reference"
        : make("span", {}, named(data.expected[trial].map((each) => data.names[each]).join(", ")), truth.length ? ` at ${place(...truth)}` : "")],
      ["Answered", !answer ? "nothing" : make("span", {}, named(data.names[answer[0]]), ` at ${place(answer[1], answer[2], answer[3])}`, claim === null ? ", not claimed" : "")],
      ["Score", !answer ? "–" : `${number(answer[4] / 100, 2)}${data.threshold === undefined ? "" : `, threshold ${number(data.threshold / 100, 2)}`}${answer[5] === null ? "" : `; confidence ${number(answer[5] / 100, 1)} %`}`],
      ["Errors", data.offsetError[trial] === null ? null
        : `offset ${number(data.offsetError[trial], 2)} ms, frequency skew ${percent(data.frequencySkewError[trial])}, time skew ${percent(data.timeSkewError[trial])}`],
      ["Audio", `${number(data.rate[trial])} Hz, ${data.channels[trial] === 1 ? "one channel" : `${data.channels[trial]} channels`}${data.snr[trial] === null ? "" : `, SNR ${number(data.snr[trial] / 100, 2)} dB`}`],
      ["Latency", data.latency[trial] === null ? null : `${number(data.latency[trial] / 1000, 2)} ms`],
      ["Chain", make("code", {}, safe(chain))],
    ];
    return make("dl", { class: "figures-of" }, ...rows.filter(([, value]) => value !== null)
      .map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))));
  };

  // A sound with its spectrogram, and the peaks over it; all run over the seconds of the query.
  const panel = (detail, sound, seconds, pictures) => {
    const isQuery = sound.role === "query";
    const query = detail.sounds[0];
    const ofReference = (at) => sound.offsetSeconds + at * (1 + sound.timeSkew);
    const agreeing = new Set(sound.pairs.filter((_, place) => place % 2 === 1));
    const shared = new Set(detail.sounds.slice(1, 2).flatMap(({ pairs }) => pairs.filter((_, place) => place % 2 === 0)));
    const points = sound.peaks.times.map((time, place) => [
      isQuery ? time / 1000 : (time / 1000 - sound.offsetSeconds) / (1 + sound.timeSkew),
      sound.peaks.frequencies[place], isQuery ? shared.has(place) : agreeing.has(place),
    ]);
    const audio = sound.audio && make("audio", { controls: "", preload: "metadata", src: `data:audio/ogg;base64,${sound.audio}`, "aria-label": `${roles[sound.role]} sound` });
    const [picture, marks, cursor] = [make("canvas", {}), make("canvas", {}), make("i", { class: "cursor", hidden: "" })];
    const field = make("div", {
      class: "field", role: "img",
      "aria-label": `Spectrogram of ${isQuery ? "the query" : "the reference"}: ${points.length} peaks, ${points.filter((point) => point[2]).length} of them agree`,
    }, picture, marks, cursor);
    const state = make("p", { class: "fine", hidden: "" });
    if (audio) {
      const follow = () => {
        const at = isQuery ? audio.currentTime : (sound.startSeconds + audio.currentTime - sound.offsetSeconds) / (1 + sound.timeSkew);
        cursor.hidden = audio.paused && audio.currentTime === 0;
        cursor.style.left = `${Math.min(100, Math.max(0, (at / seconds) * 100))}%`;
        if (!audio.paused) requestAnimationFrame(follow);
      };
      for (const event of ["play", "pause", "seeked", "ended"]) audio.addEventListener(event, follow);
      audio.addEventListener("play", () => document.querySelectorAll("#trial audio").forEach((other) => { if (other !== audio) other.pause(); }));
    }
    const samples = sound.audio ? Spectrogram.decode(sound.audio) : Promise.resolve(null);
    samples.catch(() => {
      state.hidden = false;
      state.textContent = "This browser cannot decode Ogg Opus: there is no spectrogram, only the peaks.";
    });
    pictures.push(async (shown) => {
      Spectrogram.mark(marks, points, { seconds, shown, labelAt: (at) => `${number(isQuery ? at : ofReference(at), seconds < 1 ? 2 : 1)} s` });
      const heard = await samples.catch(() => null);
      Spectrogram.paint(picture, heard, { seconds, sampleSecondsAt: (at) => (isQuery ? at : ofReference(at) - sound.startSeconds) });
    });
    const where = isQuery ? (sound.wholeSeconds > sound.seconds + 0.01 ? `the first ${number(sound.seconds, 0)} of ${number(sound.wholeSeconds, 0)} s` : `${number(query.seconds, 2)} s`)
      : `at ${number(sound.offsetSeconds, 3)} s`;
    const title = make("h3", {}, roles[sound.role], " ", !sound.reference ? "" : named(sound.reference), make("small", {}, ` ${where}`));
    return make("section", { class: `panel ${sound.role}` }, make("div", { class: "panel-head" }, title, audio || make("p", { class: "fine" }, "No sound: the reference has no audio at this place.")), field, state);
  };

  const histogram = (sound) => {
    const { counts, firstSeconds, binSeconds } = sound.votes;
    const most = Math.max(1, ...counts);
    const [width, height] = [counts.length * 4, 64];
    const bars = counts.map((count, place) => {
      const isHere = Math.abs(firstSeconds + place * binSeconds) <= 1.5 * binSeconds;
      return draw("rect", { x: place * 4, width: 3, y: height - (count / most) * height, height: (count / most) * height, class: isHere ? "here" : "" });
    });
    const lastSeconds = firstSeconds + (counts.length - 1) * binSeconds;
    const reach = Math.max(Math.abs(firstSeconds), Math.abs(lastSeconds));
    const isCentred = Math.abs(firstSeconds + lastSeconds) <= 2 * binSeconds;
    const end = (at) => `${at > 0 ? "+" : ""}${number(at, 1)} s`;
    return make("figure", { class: "votes" },
      make("figcaption", {}, `Votes by offset, ${roles[sound.role].toLowerCase()}: at most ${number(most)}`),
      draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `Histogram of votes within ${number(reach, 1)} s of the offset; at most ${most} in a bin` }, ...bars),
      make("div", { class: "ends" }, make("span", {}, end(firstSeconds)), make("span", {}, isCentred ? `${number(sound.offsetSeconds, 2)} s` : ""), make("span", {}, end(lastSeconds))));
  };

  // A bar from 0 to a value among values, as a share of the room there is.
  const bar = (value, low, high, threshold) => {
    const at = (x) => ((x - low) / (high - low || 1)) * 100;
    const [from, to] = [Math.min(0, value), Math.max(0, value)];
    return make("span", { class: `amount${value < 0 ? " less" : ""}`, "aria-hidden": "true", style: `--from:${at(from)}%;--to:${100 - at(to)}%;--zero:${at(0)}%${threshold == null ? "" : `;--mark:${at(threshold)}%`}` });
  };

  const ladder = (ladderRows, threshold) => {
    if (ladderRows.length === 0) return make("p", {}, "No candidate.");
    const scores = [0, ...(threshold === null ? [] : [threshold]), ...ladderRows.map(({ score }) => score)];
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    const skew = (value) => (value == null ? "–" : `${number(value * 100, 3)} %`);
    const heads = ["", "Reference", "At", "Frequency skew", "Time skew", "Peaks", "Score", "", "Confidence"];
    return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Candidates" }, make("table", { class: "ladder" },
      make("caption", { class: "hidden" }, "Candidates, best first"),
      make("thead", {}, make("tr", {}, ...heads.map((text, place) => make("th", { scope: "col", class: place === 1 || place === 7 ? "" : "number" }, text || make("span", { class: "hidden" }, place ? "score as a bar, the threshold dotted" : "place"))))),
      make("tbody", {}, ...ladderRows.map((rung, place) => make("tr", { class: rung.isRight ? "right" : "" },
        make("td", { class: "number" }, String(place + 1)),
        make("th", { scope: "row" }, named(rung.reference), " ", rung.isRight ? make("span", { class: "tag right" }, "right") : "", rung.isAccepted ? make("span", { class: "tag" }, "accepted") : ""),
        make("td", { class: "number" }, rung.offsetSeconds == null ? "–" : `${number(rung.offsetSeconds, 3)} s`),
        make("td", { class: "number" }, skew(rung.frequencySkew)), make("td", { class: "number" }, skew(rung.timeSkew)),
        make("td", { class: "number" }, rung.matched == null ? "–" : `${rung.matched} of ${rung.compared}`),
        make("td", { class: "number" }, number(rung.score, 2)), make("td", { class: "bars" }, bar(rung.score, low, high, threshold)),
        make("td", { class: "number" }, rung.confidence == null ? "–" : `${number(rung.confidence * 100, 2)} %`))))));
  };

  // What the scores of the best candidate and of the right one, or the second, are made of.
  const parts = (detail) => {
    if (detail.partNames.length === 0) return null;
    const other = detail.ladder.findIndex((rung, place) => place > 0 && rung.isRight);
    const shown = [0, other > 0 ? other : 1].filter((place) => place < detail.ladder.length && detail.ladder[place].parts.length);
    const values = shown.flatMap((place) => detail.ladder[place].parts);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    return make("details", {}, make("summary", {}, "Parts of the scores"), make("div", { class: "scroll" }, make("table", { class: "parts" },
      make("caption", { class: "hidden" }, "Parts of the scores of two candidates. The sum of the parts is the score"),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Part"), ...shown.flatMap((place) => [
        make("th", { scope: "col", class: "number" }, `${place + 1}. `, named(detail.ladder[place].reference)), make("th", { scope: "col" }, make("span", { class: "hidden" }, "as a bar"))]))),
      make("tbody", {}, ...detail.partNames.map((name, part) => make("tr", {}, make("th", { scope: "row" }, safe(name)), ...shown.flatMap((place) => {
        const value = detail.ladder[place].parts[part];
        return [make("td", { class: "number" }, number(value, 2)), make("td", { class: "bars" }, bar(value, low, high))];
      }))), make("tr", { class: "sum" }, make("th", { scope: "row" }, "Score"), ...shown.flatMap((place) => [make("td", { class: "number" }, number(detail.ladder[place].score, 2)), make("td", {})]))))));
  };

  // The ladder of a trial that is not shown in full, from the table's columns.
  const listedLadder = (data, trial) => {
    const width = data.answerWidth;
    const rows = [];
    for (let start = 0; start < data.answers[trial].length; start += width) {
      const [reference, offset, frequency, time, score, confidence, accepted] = data.answers[trial].slice(start, start + width);
      rows.push({
        reference: data.names[reference], offsetSeconds: offset === null ? null : offset / 1000, frequencySkew: frequency === null ? null : frequency / 1e6,
        timeSkew: time === null ? null : time / 1e6, score: score / 100, confidence: confidence === null ? null : confidence / 1e4,
        isAccepted: accepted === 1, isRight: data.expected[trial].includes(reference), matched: null, compared: null,
      });
    }
    return rows;
  };

  const heard = (detail, redraws) => {
    if (detail.sounds.length === 0) return [];
    const seconds = detail.sounds[0].seconds;
    const pictures = [];
    const panels = detail.sounds.map((sound) => panel(detail, sound, seconds, pictures));
    const toggle = make("input", { type: "checkbox", checked: "" });
    const redraw = () => pictures.forEach((each) => each(toggle.checked));
    toggle.addEventListener("change", redraw);
    redraws.push(redraw);
    const key = make("p", { class: "key" }, make("span", { class: "agree" }), "peaks that agree", make("span", { class: "alone" }), "other peaks", make("label", {}, toggle, " show peaks"));
    const votes = detail.sounds.filter(({ votes: each }) => each && each.counts.length);
    return [make("div", { class: "panels" }, ...panels), ...(detail.sounds.some(({ peaks }) => peaks.times.length) ? [key] : []),
      ...(votes.length ? [make("div", { class: "histograms" }, ...votes.map(histogram))] : [])];
  };

  // The sounds and pictures of a trial in the page itself.
  const previews = [];
  const preview = async (data, trial, place) => {
    const detail = await load(data, trial).catch(() => null);
    if (!detail || detail.sounds.length === 0) return;
    const pictures = [];
    place.append(...detail.sounds.slice(0, 2).map((sound) => panel(detail, sound, detail.sounds[0].seconds, pictures)));
    previews.push(() => pictures.forEach((each) => each(true)));
    previews[previews.length - 1]();
  };

  const address = (data, trial) => `#trial=${encodeURIComponent(data.id[trial])}`;
  const setAddress = (hash) => {
    // Some pages may not have an address of their own.
    try { history.replaceState(null, "", hash); } catch { return; }
  };

  let current = null;
  const dialog = document.getElementById("trial");
  const show = async (data, trial, steps) => {
    current = trial;
    const redraws = [];
    const end = data.outcome[trial] === null ? null : data.outcomes[data.outcome[trial]];
    const button = (text, label, action, isOff) => {
      const made = make("button", { type: "button", "aria-label": label, disabled: isOff ? "" : null }, text);
      made.addEventListener("click", action);
      return made;
    };
    const [before, after] = [steps.step(trial, -1), steps.step(trial, 1)];
    const move = (other, name) => () => show(data, other, steps).then(() => {
      const same = dialog.querySelector(`button[aria-label="${name}"]`);
      (same && !same.disabled ? same : dialog.querySelector(".close")).focus();
    });
    const close = button("Close", "Close", () => dialog.close());
    close.className = "close";
    const command = make("span", { class: "command" }, make("code", {}, safe(data.command) + safe(data.word[trial] === null ? data.id[trial] : data.word[trial])));
    addCopyButton(command);
    const place = make("div", { class: "heard", "aria-live": "polite" }, make("p", { class: "fine" }, "Loading …"));
    const words = make("div", { class: "why" }, make("p", {}, safe(data.reason[trial] || (end && end.key === "correctReject" ? "The matcher claimed nothing, which is right." : "The matcher claimed the right reference."))));
    dialog.replaceChildren(
      make("header", {}, make("p", { class: `kind ${end ? end.key : ""}` }, data.error[trial] !== null ? "Error" : end ? end.name : "Not offered"),
        make("h2", { id: "trial-name" }, named(data.id[trial])),
        make("div", { class: "steps" }, button("‹", "Previous trial", move(before, "Previous trial"), before === undefined), button("›", "Next trial", move(after, "Next trial"), after === undefined), close)),
      words, place, facts(data, trial), make("h3", {}, "Run it again"),
      make("p", { class: "fine" }, "Makes this query again, asks the matcher and prints its answer."), command);
    if (!dialog.open) {
      dialog.showModal();
      close.focus();
    }
    dialog.scrollTop = 0;
    setAddress(address(data, trial));
    let detail = null;
    let problem = null;
    try { detail = await load(data, trial); } catch (error) { problem = error.message; }
    if (current !== trial) return;
    const rows = detail ? detail.ladder : listedLadder(data, trial);
    const hidden = detail ? 0 : data.count[trial] - rows.length;
    const none = data.remark === undefined ? "The report has no sound of this trial. The command below makes the sound." : `No sound: ${data.remark}`;
    place.replaceChildren(
      ...(detail ? heard(detail, redraws) : [make("p", { class: "fine" }, safe(problem || none))]),
      ...(detail ? detail.remarks.map((text) => make("p", { class: "remark" }, safe(text))) : []),
      make("h3", {}, "Candidates"), ladder(rows, detail && detail.threshold !== undefined ? detail.threshold : data.threshold === undefined ? null : data.threshold / 100),
      ...(hidden > 0 ? [make("p", { class: "fine" }, `${hidden} more ${hidden === 1 ? "candidate is" : "candidates are"} in the store of the run.`)] : []),
      ...[detail && parts(detail)].filter(Boolean));
    dialog.onkeydown = (event) => {
      const other = { ArrowLeft: before, ArrowRight: after }[event.key];
      if (other === undefined || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("audio, input")) return;
      event.preventDefault();
      show(data, other, steps).then(() => dialog.querySelector(".close").focus());
    };
    if (detail) words.append(...detail.words.map((text) => make("p", {}, safe(text))));
    dialog.redraw = () => redraws.forEach((each) => each());
    dialog.redraw();
  };

  const open = (data, trial, steps) => {
    dialog.onclose = () => {
      // The event may come so late that another trial is open by then.
      if (dialog.open) return;
      const last = current;
      current = null;
      dialog.replaceChildren();
      dialog.redraw = null;
      if (location.hash === address(data, last)) setAddress(steps.address());
      // Back to where it was opened, or to the row of the trial that was stepped to.
      const row = steps.closed(last);
      const { opener } = steps;
      const target = opener && opener.isConnected && (last === trial || !row) ? opener : row;
      if (target) target.focus();
    };
    dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
    show(data, trial, steps);
  };
  const again = () => {
    if (dialog && dialog.redraw) dialog.redraw();
    previews.forEach((each) => each());
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  addEventListener("resize", again);
  addEventListener("beforeprint", again);

  return { make, named, number, safe, conditionText, open, preview, setAddress };
})();

"use strict";

const LONGEST_SECONDS = 12;
const SAMPLE_RATE = 48000;
const element = (id) => document.getElementById(id);

async function ask(path, options = {}) {
  const token = element("token").value.trim();
  const answer = await fetch(path, { ...options, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  const value = await answer.json();
  if (answer.ok) return value;
  element("access").hidden = answer.status !== 401;
  throw new Error(`${value.error.message}. ${value.error.remedy}`);
}

/** Runs something, and shows what went wrong. */
async function attempt(work) {
  const problem = element("problem");
  try {
    await work();
    problem.hidden = true;
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
  }
}

async function showFacts() {
  const facts = await ask("/v1/catalog");
  const rows = [
    ["References", facts.references.toLocaleString()],
    ["Length", `${facts.hours.toFixed(1)} hours`],
    ["Queries", `${facts.minimumQuerySeconds} to ${facts.maximumQuerySeconds} seconds`],
    ["Engine", facts.engineVersion],
    ["State", facts.isPartial ? "parts are missing" : "complete"],
  ];
  element("facts").replaceChildren(...rows.flatMap(([name, value]) => [entry("dt", name), entry("dd", value)]));
  element("audio").hidden = !facts.acceptsAudio;
  element("silent").hidden = facts.acceptsAudio;
}

function entry(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

/** The middle of a file, as a WAV file of 16 bits. */
async function excerpt(file) {
  const decoder = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const audio = await decoder.decodeAudioData(await file.arrayBuffer());
  const frames = Math.min(audio.length, LONGEST_SECONDS * SAMPLE_RATE);
  const start = Math.floor((audio.length - frames) / 2);
  const channels = [...Array(Math.min(2, audio.numberOfChannels)).keys()].map((number) => audio.getChannelData(number));
  const view = new DataView(new ArrayBuffer(44 + 2 * channels.length * frames));
  const text = (at, word) => [...word].forEach((letter, place) => view.setUint8(at + place, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, view.byteLength - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels.length, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, 2 * channels.length * SAMPLE_RATE, true);
  view.setUint16(32, 2 * channels.length, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, view.byteLength - 44, true);
  for (let frame = 0; frame < frames; frame += 1) {
    channels.forEach((samples, number) => {
      const level = Math.max(-1, Math.min(1, samples[start + frame]));
      view.setInt16(44 + 2 * (channels.length * frame + number), Math.round(32767 * level), true);
    });
  }
  return { body: view.buffer, startSeconds: start / SAMPLE_RATE };
}

async function identify(file) {
  element("answers").replaceChildren();
  element("progress").textContent = `Reading ${file.name}…`;
  const { body, startSeconds } = await excerpt(file).catch(() => {
    element("progress").textContent = "";
    throw new Error(`This browser cannot read ${file.name} as audio.`);
  });
  const reply = await ask("/v1/recognise", { method: "POST", body });
  element("progress").textContent = reply.references.length ? "" : reply.isPartial
    ? "No match so far: parts of the catalog are missing." : "No match.";
  element("answers").replaceChildren(...reply.references.map((found) => {
    const properties = found.items.find((item) => item.properties.title)?.properties ?? {};
    const name = [properties.title ?? found.reference, properties.artist].filter(Boolean).join(", ");
    const seconds = Math.max(0, found.matchOffset);
    const time = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    return entry("li", `${name}: at ${time}, heard from second ${startSeconds.toFixed(0)} of the file`);
  }));
}

const drop = element("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
  });
}
drop.addEventListener("drop", (event) => {
  const file = event.dataTransfer.files[0];
  if (file) attempt(() => identify(file));
});
element("file").addEventListener("change", (event) => {
  const file = event.target.files[0];
  if (file) attempt(() => identify(file));
});
element("token").addEventListener("change", () => attempt(showFacts));
attempt(showFacts);

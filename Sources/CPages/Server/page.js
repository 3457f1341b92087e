"use strict";

const LONGEST_SECONDS = 12;
const RECORDED_SECONDS = 10;
const MOST_ANSWERS = 10;
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
  // Browsers lend the microphone to pages of HTTPS or of the same machine only.
  const records = Boolean(navigator.mediaDevices) && typeof MediaRecorder !== "undefined";
  element("record").hidden = !records;
  element("recorder").hidden = records;
}

function entry(kind, text, style = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

function clock(seconds) {
  const whole = Math.floor(Math.max(0, seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
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

/** A reference that was found: artwork, title, artist, and where it is heard. */
function song(found, startSeconds) {
  const properties = found.items.find((item) => item.properties.title)?.properties ?? found.items[0]?.properties ?? {};
  const made = entry("li", "", "song");
  if (/^https:/.test(properties.artworkURL ?? "")) {
    const picture = document.createElement("img");
    picture.src = properties.artworkURL;
    picture.alt = "";
    picture.referrerPolicy = "no-referrer";
    picture.addEventListener("error", () => picture.remove());
    made.append(picture);
  }
  const words = document.createElement("div");
  words.append(entry("p", properties.title ?? found.reference, "title"));
  if (properties.artist) words.append(entry("p", properties.artist));
  words.append(entry("p", `at ${clock(found.matchOffset)}, heard from second ${startSeconds.toFixed(0)}`, "fine"));
  made.append(words);
  return made;
}

async function identify(file, name) {
  element("progress").textContent = `Reading ${name}…`;
  const { body, startSeconds } = await excerpt(file).catch(() => {
    element("progress").textContent = "";
    throw new Error(`This browser cannot read ${name} as audio.`);
  });
  element("progress").textContent = "Searching…";
  const reply = await ask("/v1/recognise", { method: "POST", body }).finally(() => { element("progress").textContent = ""; });
  const answer = entry("li", "");
  answer.append(entry("p", `${name}, ${new Date().toLocaleTimeString()}`, "fine"));
  if (reply.references.length === 0) {
    answer.append(entry("p", reply.isPartial ? "No match so far: parts of the catalog are missing." : "No match.", "title"));
  }
  const songs = document.createElement("ul");
  songs.append(...reply.references.map((found) => song(found, startSeconds)));
  answer.append(songs);
  const answers = element("answers");
  answers.prepend(answer);
  while (answers.children.length > MOST_ANSWERS) answers.lastElementChild.remove();
}

/** The next seconds of the microphone, as it hears them. */
async function record() {
  const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const stream = await navigator.mediaDevices.getUserMedia({ audio: plain }).catch(() => {
    throw new Error("This browser gave no microphone. Allow it for this page, or choose a file.");
  });
  // A browser may refuse to record, or the user may take the microphone away.
  try {
    const recorder = new MediaRecorder(stream);
    const parts = [];
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    const ended = new Promise((resolve, reject) => {
      recorder.addEventListener("stop", resolve);
      recorder.addEventListener("error", reject);
    });
    recorder.start();
    for (let left = RECORDED_SECONDS; left > 0 && recorder.state === "recording"; left -= 1) {
      element("progress").textContent = `Listening, ${left} s left…`;
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000))]);
    }
    if (recorder.state !== "inactive") recorder.stop();
    await ended;
    return new Blob(parts, { type: recorder.mimeType });
  } catch {
    throw new Error("This browser could not record the microphone. Choose a file.");
  } finally {
    stream.getTracks().forEach((track) => track.stop());
  }
}

element("record").addEventListener("click", () => attempt(async () => {
  element("record").disabled = true;
  try {
    await identify(await record(), "microphone");
  } finally {
    element("record").disabled = false;
    element("progress").textContent = "";
  }
}));
const drop = element("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
  });
}
drop.addEventListener("drop", (event) => {
  const file = event.dataTransfer.files[0];
  if (file) attempt(() => identify(file, file.name));
});
for (const name of ["file", "recorded"]) {
  element(name).addEventListener("change", (event) => {
    const file = event.target.files[0];
    if (file) attempt(() => identify(file, file.name));
  });
}
element("token").addEventListener("change", () => attempt(showFacts));
attempt(showFacts);

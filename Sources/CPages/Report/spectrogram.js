"use strict";
// Spectrograms on canvas: audio is decoded and analysed here, so that a page need not hold pictures.
const Spectrogram = (() => {
  const rate = 12000;
  const size = 2048;
  const lowest = 70;
  const highest = 4500;
  const range = 50;
  const lines = [125, 250, 500, 1000, 2000, 4000];

  // A radix-2 transform in place: tables once, then butterflies.
  const reversed = new Uint16Array(size);
  const cosines = new Float32Array(size / 2);
  const sines = new Float32Array(size / 2);
  const hann = new Float32Array(size);
  for (let place = 0; place < size; place += 1) {
    reversed[place] = (reversed[place >> 1] >> 1) | (place & 1 ? size >> 1 : 0);
    hann[place] = 0.5 - 0.5 * Math.cos((2 * Math.PI * place) / size);
    if (place < size / 2) {
      cosines[place] = Math.cos((2 * Math.PI * place) / size);
      sines[place] = -Math.sin((2 * Math.PI * place) / size);
    }
  }
  const transform = (real, imaginary) => {
    for (let place = 0; place < size; place += 1) {
      const other = reversed[place];
      if (other > place) [real[place], real[other]] = [real[other], real[place]];
    }
    imaginary.fill(0);
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let place = 0; place < half; place += 1) {
          const [low, high] = [start + place, start + place + half];
          const [c, s] = [cosines[place * step], sines[place * step]];
          const x = real[high] * c - imaginary[high] * s;
          const y = real[high] * s + imaginary[high] * c;
          real[high] = real[low] - x;
          imaginary[high] = imaginary[low] - y;
          real[low] += x;
          imaginary[low] += y;
        }
      }
    }
  };

  // The samples of an encoded sound as one channel at 12 kHz; rejects where the browser cannot decode it.
  const decode = async (base64) => {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place += 1) bytes[place] = text.charCodeAt(place);
    const buffer = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes.buffer);
    const [first, second] = [buffer.getChannelData(0), buffer.numberOfChannels > 1 ? buffer.getChannelData(1) : null];
    if (!second) return first;
    // Channels of opposite phase would cancel: then their difference is drawn.
    let [sum, difference] = [0, 0];
    for (let place = 0; place < first.length; place += 1) {
      sum += (first[place] + second[place]) ** 2;
      difference += (first[place] - second[place]) ** 2;
    }
    const sign = sum >= difference / 100 ? 1 : -1;
    return first.map((sample, place) => (sample + sign * second[place]) / 2);
  };

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const palette = () => [0, 1, 2, 3, 4].map((step) => {
    const text = colour(`tone${step}`);
    return [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
  });
  const shades = () => {
    const tones = palette();
    const table = new Uint8ClampedArray(256 * 3);
    for (let level = 0; level < 256; level += 1) {
      const place = (level / 255) * (tones.length - 1);
      const from = Math.min(Math.floor(place), tones.length - 2);
      for (let part = 0; part < 3; part += 1) {
        table[level * 3 + part] = tones[from][part] + (tones[from + 1][part] - tones[from][part]) * (place - from);
      }
    }
    return table;
  };

  const row = (hertz, height) => height * (1 - Math.log(hertz / lowest) / Math.log(highest / lowest));

  // Levels in decibels: `columns` of `rows` each, at the times that `sampleAt` gives for each column.
  const levels = (samples, columns, rows, sampleAt) => {
    const [real, imaginary] = [new Float32Array(size), new Float32Array(size)];
    const found = new Float32Array(columns * rows).fill(-Infinity);
    const edges = [...Array(rows + 1).keys()].map((place) => (lowest * (highest / lowest) ** (1 - place / rows)) / (rate / size));
    let loudest = -Infinity;
    for (let column = 0; column < columns; column += 1) {
      const middle = Math.round(sampleAt(column));
      if (middle < 0 || middle >= samples.length) continue;
      for (let place = 0; place < size; place += 1) {
        const sample = samples[middle + place - size / 2];
        real[place] = sample === undefined ? 0 : sample * hann[place];
      }
      transform(real, imaginary);
      const power = (bin) => real[bin] ** 2 + imaginary[bin] ** 2;
      for (let place = 0; place < rows; place += 1) {
        const [top, bottom] = [edges[place], edges[place + 1]];
        let most = 0;
        for (let bin = Math.ceil(bottom); bin <= top; bin += 1) most = Math.max(most, power(bin));
        if (most === 0) {
          // Rows narrower than a bin lie between two of them.
          const [at, low] = [(top + bottom) / 2, Math.floor((top + bottom) / 2)];
          most = power(low) * (low + 1 - at) + power(low + 1) * (at - low);
        }
        // Music falls by about 3 dB an octave; what is drawn does not.
        const level = 10 * Math.log10(most + 1e-9) + 3 * Math.log2((top + bottom) / 2);
        found[column * rows + place] = level;
        if (level > loudest) loudest = level;
      }
    }
    return { found, loudest };
  };

  // Draws the picture of `samples`, or an empty field; seconds of the query run from left to right.
  const paint = (canvas, samples, { seconds, sampleSecondsAt }) => {
    const scale = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
    if (!width || !height) return;
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    context.fillStyle = colour("tone0");
    context.fillRect(0, 0, width, height);
    if (!samples) return;
    const [columns, rows] = [Math.min(width, 1000), Math.min(height, 320)];
    const { found, loudest } = levels(samples, columns, rows, (column) => rate * sampleSecondsAt(((column + 0.5) / columns) * seconds));
    const table = shades();
    const picture = new ImageData(columns, rows);
    for (let column = 0; column < columns; column += 1) {
      for (let place = 0; place < rows; place += 1) {
        const share = Math.min(1, Math.max(0, 1 + (found[column * rows + place] - loudest) / range));
        const level = Math.round(255 * share ** 1.7);
        const pixel = 4 * (place * columns + column);
        for (let part = 0; part < 3; part += 1) picture.data[pixel + part] = table[level * 3 + part];
        picture.data[pixel + 3] = 255;
      }
    }
    const small = document.createElement("canvas");
    [small.width, small.height] = [columns, rows];
    small.getContext("2d").putImageData(picture, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, width, height);
  };

  // Draws scales and peaks over a picture: [seconds of the query, hertz, whether it agrees].
  const mark = (canvas, points, { seconds, labelAt, shown }) => {
    const scale = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.clearRect(0, 0, width, height);
    context.font = `10px ${getComputedStyle(document.body).fontFamily}`;
    const ink = (text, x, y, align) => {
      context.textAlign = align;
      context.lineWidth = 3;
      context.strokeStyle = colour("tone0");
      context.lineJoin = "round";
      context.strokeText(text, x, y);
      context.fillStyle = colour("ink");
      context.fillText(text, x, y);
    };
    if (shown) {
      for (const agrees of [false, true]) {
        context.lineWidth = agrees ? 1 : 1.2;
        context.strokeStyle = colour(agrees ? "tone0" : "peak");
        context.globalAlpha = agrees ? 1 : 0.8;
        context.fillStyle = colour(agrees ? "agree" : "peak");
        for (const [at, hertz, does] of points) {
          if (does !== agrees || at < 0 || at > seconds) continue;
          if (hertz === null) {
            // A moment without a frequency: a mark at the upper edge.
            context.fillRect((at / seconds) * width - 1, 0, agrees ? 3 : 2, agrees ? 16 : 10);
            continue;
          }
          if (hertz < lowest || hertz > highest) continue;
          context.beginPath();
          context.arc((at / seconds) * width, row(hertz, height), agrees ? 3.2 : 2.4, 0, 2 * Math.PI);
          if (agrees) context.fill();
          context.stroke();
        }
      }
    }
    context.globalAlpha = 1;
    for (const hertz of lines) ink(hertz < 1000 ? String(hertz) : `${hertz / 1000}k`, 3, row(hertz, height) + 3, "left");
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10].find((each) => seconds / each <= Math.max(3, width / 90)) || 30;
    for (let at = step; at < seconds - step / 3; at += step) ink(labelAt(at), (at / seconds) * width, height - 4, "center");
  };

  return { decode, paint, mark };
})();

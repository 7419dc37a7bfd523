// A scatter plot of labelled points: WebGL, or a 2D canvas where there is none; pan, zoom, hover, lasso and keys.
//
// Self-contained, since a page that is saved as one file holds this file as it is. Labels thin out: the points come in
// the order of their importance, and a label is drawn where no more important one stands.

const CELL = 96; // pixels of a cell in which few labels stand
const LABELS = 400; // at most
const LONGEST = 32; // characters of a label; those of a marked point may have twice as many
const REACH = 14; // pixels from the pointer to a point
const FINEST = 2000; // times the whole map
const MANY = 20000; // points that are drawn small
const REST = 150; // milliseconds after which labels are chosen anew

const VERTEX = `
attribute vec2 place; attribute vec3 colour; attribute float size;
uniform vec2 scale; uniform vec2 shift; uniform float pixels;
varying vec3 tint;
void main() {
  gl_Position = vec4(place * scale + shift, 0.0, 1.0);
  gl_PointSize = size * pixels;
  tint = colour;
}`;
const FRAGMENT = `
precision mediump float;
varying vec3 tint; uniform float opacity; uniform bool round;
void main() {
  gl_FragColor = vec4(tint, 1.0) * opacity;
  if (round) gl_FragColor *= smoothstep(0.5, 0.38, length(gl_PointCoord - 0.5));
}`;

export const PALETTE = [
  "#4269d0", "#efb118", "#ff725c", "#3ca951", "#a463f2", "#97bbf5", "#9c6b4e", "#ff8ab7", "#6cc5b0", "#b5651d",
  "#7f8c3a", "#9498a0",
];
export const RAMP = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"]; // viridis, for numbers

function rgb(colour) {
  const number = parseInt(colour.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}

export function ramp(share) {
  const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(place), RAMP.length - 2);
  const [a, b] = [rgb(RAMP[low]), rgb(RAMP[low + 1])];
  return a.map((value, i) => value + (b[i] - value) * (place - low));
}

export function groupColour(group) {
  return rgb(PALETTE[group % PALETTE.length]);
}

class Painter { // of points, by WebGL
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl", { antialias: false, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("WebGL cannot draw points");
    gl.useProgram(program);
    const uniforms = new Map(["scale", "shift", "pixels", "opacity", "round"].map((name) => [name, gl.getUniformLocation(program, name)]));
    this.at = (name) => uniforms.get(name);
    this.places = gl.getAttribLocation(program, "place");
    this.colours = gl.getAttribLocation(program, "colour");
    this.sizes = gl.getAttribLocation(program, "size");
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.buffers = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
    this.count = 0;
  }

  load(places, colours, sizes) {
    const gl = this.gl;
    const attributes = [[this.places, places, 2], [this.colours, colours, 3], [this.sizes, sizes, 1]];
    attributes.forEach(([place, values, width], i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
    });
    this.count = sizes.length;
  }

  draw(camera, width, height, pixels, opacity) {
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.at("scale"), (2 * camera.zoom) / width, (2 * camera.zoom) / height);
    gl.uniform2f(this.at("shift"), (-2 * camera.x * camera.zoom) / width, (-2 * camera.y * camera.zoom) / height);
    gl.uniform1f(this.at("pixels"), pixels);
    gl.uniform1f(this.at("opacity"), opacity);
    gl.uniform1i(this.at("round"), this.count <= MANY); // small dots are square, which is faster
    gl.drawArrays(gl.POINTS, 0, this.count);
  }
}

class PlainPainter { // of points, by a 2D canvas
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.load(new Float32Array(0), new Float32Array(0), new Float32Array(0));
  }

  load(places, colours, sizes) {
    [this.places, this.sizes] = [places, sizes];
    this.fill = Array.from({ length: sizes.length }, (_, i) =>
      `rgb(${[0, 1, 2].map((k) => Math.round(255 * colours[3 * i + k])).join(",")})`);
  }

  draw(camera, width, height, pixels, opacity) {
    const c = this.context;
    c.setTransform(pixels, 0, 0, pixels, 0, 0);
    c.clearRect(0, 0, width, height);
    c.globalAlpha = opacity;
    for (let i = 0; i < this.sizes.length; i++) {
      const x = (this.places[2 * i] - camera.x) * camera.zoom + width / 2;
      const y = height / 2 - (this.places[2 * i + 1] - camera.y) * camera.zoom;
      if (x < -8 || y < -8 || x > width + 8 || y > height + 8) continue;
      const s = this.sizes[i];
      c.fillStyle = this.fill[i];
      c.fillRect(x - s / 2, y - s / 2, s, s);
    }
    c.globalAlpha = 1;
  }
}

// Tells `clicked(i)`, `missed()`, `selected([i, ...])` and `moved(camera)` what happens.
export class Scatter {
  constructor(element, { clicked = () => {}, missed = () => {}, selected = () => {}, moved = () => {}, plain = false } = {}) {
    Object.assign(this, { element, clicked, missed, selected, moved });
    element.classList.add("scatter");
    element.tabIndex = 0;
    element.setAttribute("role", "application");
    element.setAttribute("aria-label", "Map. Arrow keys move, plus and minus zoom, 0 shows all, Enter opens the point in the middle.");
    this.canvas = element.appendChild(document.createElement("canvas"));
    this.overlay = element.appendChild(document.createElement("canvas"));
    this.tip = element.appendChild(document.createElement("div"));
    this.tip.className = "tip";
    this.tip.hidden = true;
    try {
      if (plain) throw new Error("asked for");
      this.painter = new Painter(this.canvas);
      this.canvas.addEventListener("webglcontextlost", () => { // the graphics card has slept, or has too many pages
        this.paintPlainly();
        this.painter.load(this.points.places, this.colours ?? new Float32Array(0), this.sizes ?? new Float32Array(0));
        this.resize();
      });
    } catch {
      this.paintPlainly();
    }
    this.camera = { x: 0, y: 0, zoom: 1 };
    [this.width, this.height] = [0, 0]; // until the element has a size; then everything is drawn to it
    this.points = { places: new Float32Array(0), labels: [], n: 0, bold: [] };
    this.marked = new Map(); // of point to kind: "chosen", "near"
    this.lassoing = false;
    this.frames = 0;
    new ResizeObserver(() => this.resize()).observe(element);
    this.listen();
    this.resize();
  }

  paintPlainly() {
    const canvas = document.createElement("canvas"); // one that has given a WebGL context gives no other
    this.canvas.replaceWith(canvas);
    this.canvas = canvas;
    this.painter = new PlainPainter(canvas);
  }

  // Show points in the order of importance. Places are x and y by turns; bold are the rows of labels that always show.
  show({ places, labels, colours, sizes, bold = [] }, { keep = false } = {}) {
    const n = labels.length;
    this.points = { places, labels, n, bold };
    this.long = labels.slice(0, 200).reduce((sum, label) => sum + label.length, 0) > 20 * Math.min(n, 200); // texts
    this.labelled = null;
    this.colours = colours ?? new Float32Array(3 * n).fill(0.4);
    this.sizes = sizes ?? new Float32Array(n).fill(n > MANY ? 3 : n > 3000 ? 4 : 6);
    this.painter.load(places, this.colours, this.sizes);
    if (n) this.extent = this.middling();
    this.index();
    if (!keep) this.showAll();
    this.redraw();
  }

  recolour(colours) {
    this.colours = colours;
    this.painter.load(this.points.places, colours, this.sizes);
    this.redraw();
  }

  mark(marked) {
    this.marked = marked;
    this.redraw();
  }

  bounds(rows = null) {
    const { places, n } = this.points;
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    const each = (i) => {
      for (const k of [0, 1]) {
        low[k] = Math.min(low[k], places[2 * i + k]);
        high[k] = Math.max(high[k], places[2 * i + k]);
      }
    };
    if (rows) rows.forEach(each);
    else for (let i = 0; i < n; i++) each(i);
    return { low, high };
  }

  // The middle and the size of the place of almost all points: outliers do not make the rest small.
  middling() {
    const { places, n } = this.points;
    const middle = [], spread = [];
    for (const k of [0, 1]) {
      const sorted = new Float32Array(n);
      for (let i = 0; i < n; i++) sorted[i] = places[2 * i + k];
      sorted.sort();
      const [low, high] = [sorted[Math.floor(0.005 * (n - 1))], sorted[Math.ceil(0.995 * (n - 1))]];
      middle.push((low + high) / 2);
      spread.push(Math.max(high - low, 1e-9));
    }
    return { middle, spread };
  }

  // The zoom at which lengths along both axes fill a share of the element.
  fitting(lengths, share) {
    const sides = [this.width || 1, this.height || 1];
    return Math.min(...lengths.map((length, k) => (share * sides[k]) / Math.max(length, 1e-9)));
  }

  showAll() {
    if (!this.points.n) return;
    const { middle, spread } = this.extent;
    this.whole = this.fitting(spread, 0.88);
    this.look({ x: middle[0], y: middle[1], zoom: this.whole });
  }

  look(camera) {
    const whole = this.whole || camera.zoom;
    const zoom = Math.min(Math.max(camera.zoom, whole / 4), whole * FINEST);
    if (![camera.x, camera.y, zoom].every(Number.isFinite)) return;
    this.camera = { x: camera.x, y: camera.y, zoom };
    this.moved(this.camera);
    this.moving = true; // meanwhile the labels that are there move along
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.moving = false;
      this.redraw();
    }, REST);
    this.redraw();
  }

  lookAt(rows) {
    const known = rows.filter((i) => i < this.points.n);
    if (!known.length) return;
    const { low, high } = this.bounds(known);
    const zoom = Math.min(this.fitting([high[0] - low[0], high[1] - low[1]], 0.7), 12 * this.whole);
    this.look({ x: (low[0] + high[0]) / 2, y: (low[1] + high[1]) / 2, zoom });
  }

  resize() {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!width || !height) return;
    this.pixels = Math.min(window.devicePixelRatio || 1, 2);
    [this.width, this.height] = [width, height];
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * this.pixels);
      canvas.height = Math.round(height * this.pixels);
    }
    if (!this.points.n) return;
    const share = this.camera.zoom / this.whole;
    this.whole = this.fitting(this.extent.spread, 0.88);
    this.look({ ...this.camera, zoom: share * this.whole });
  }

  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.width) return;
    this.frames++;
    const { n } = this.points;
    this.painter.draw(this.camera, this.width, this.height, this.pixels, this.marked.size ? 0.35 : n > MANY ? 0.6 : 0.85);
    this.drawLabels();
  }

  at(i) {
    const { places } = this.points;
    const { x, y, zoom } = this.camera;
    return [(places[2 * i] - x) * zoom + this.width / 2, this.height / 2 - (places[2 * i + 1] - y) * zoom];
  }

  drawLabels() {
    const c = this.overlay.getContext("2d");
    c.setTransform(this.pixels, 0, 0, this.pixels, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    const style = getComputedStyle(this.element);
    const [ink, paper, accent] = ["--ink", "--paper", "--accent"].map((name) => style.getPropertyValue(name).trim() || "#888");
    c.lineJoin = "round";
    c.textBaseline = "middle";
    const taken = [];
    const chosen = [];
    const moving = this.moving && this.labelled && !this.marked.size;
    const resting = !this.moving || !this.marked.size; // beside marked points, the others wait for the end of a move
    const rows = new Map(); // occupied boxes by strips of 16 pixels
    const free = (box) => {
      for (let strip = Math.floor(box[1] / 16); strip <= Math.floor(box[3] / 16); strip++) {
        for (const other of rows.get(strip) ?? []) if (box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]) return false;
      }
      return true;
    };
    const take = (box) => {
      for (let strip = Math.floor(box[1] / 16); strip <= Math.floor(box[3] / 16); strip++) {
        if (!rows.has(strip)) rows.set(strip, []);
        rows.get(strip).push(box);
      }
      taken.push(box);
    };
    const write = (i, font, colour, { must = false, longest = LONGEST } = {}) => {
      const [x, at] = this.at(i);
      if (x < -40 || at < 0 || x > this.width + 40 || at > this.height) return;
      const y = Math.min(Math.max(at, 9), this.height - 9);
      c.font = font;
      const label = this.points.labels[i];
      const text = label.length > longest ? `${label.slice(0, longest - 1)}…` : label;
      const width = c.measureText(text).width;
      const boxes = [ // right, left, above, below
        [x + 5, y - 8, x + width + 10, y + 8], [x - width - 10, y - 8, x - 5, y + 8],
        [x - width / 2, y - 23, x + width / 2 + 5, y - 7], [x - width / 2, y + 7, x + width / 2 + 5, y + 23],
      ].slice(0, must || longest > LONGEST ? 4 : 2);
      const seen = (each) => each[0] >= 0 && each[2] <= this.width && each[1] >= 0 && each[3] <= this.height;
      const inside = ([left, top, right, bottom]) => {
        const shift = Math.max(Math.min(0, this.width - right), -left);
        return [left + shift, top, right + shift, bottom];
      };
      const box = boxes.find((each) => seen(each) && free(each)) ?? (must ? boxes.find(seen) ?? inside(boxes[2]) : null);
      if (!box) return;
      take(box);
      const [start, middle] = [box[0] + (box === boxes[0] ? 2 : 3), (box[1] + box[3]) / 2];
      if (!moving || must) { // an outline takes most of the time
        c.lineWidth = 3;
        c.strokeStyle = paper;
        c.strokeText(text, start, middle);
      }
      chosen.push(i);
      c.fillStyle = colour;
      c.fillText(text, start, middle);
    };
    for (const [i, kind] of this.marked) {
      if (i >= this.points.n) continue;
      const [x, y] = this.at(i);
      c.beginPath();
      c.arc(x, y, kind === "chosen" ? 7 : 4.5, 0, 7);
      c.fillStyle = kind === "chosen" ? accent : `rgb(${[0, 1, 2].map((k) => Math.round(255 * this.colours[3 * i + k])).join(",")})`;
      c.fill();
      c.lineWidth = 1.5;
      c.strokeStyle = paper;
      c.stroke();
    }
    for (const [i, kind] of this.marked) if (kind === "chosen" && i < this.points.n) write(i, "bold 14px system-ui, sans-serif", ink, { must: true, longest: 2 * LONGEST });
    let count = 0;
    for (const [i, kind] of this.marked) if (kind !== "chosen" && i < this.points.n && count++ < LABELS) write(i, "13px system-ui, sans-serif", ink, { longest: 2 * LONGEST });
    if (moving) for (const i of this.labelled) write(i, "12px system-ui, sans-serif", ink);
    if (!moving && resting) {
      c.globalAlpha = this.marked.size ? 0.55 : 1;
      const cells = new Map(); // labels by cell: those of a crowd do not hide all others
      const { n } = this.points;
      const few = n <= 60;
      const most = this.long ? 1 : 4; // labels of a cell
      for (const i of this.points.bold) write(i, "bold 13px system-ui, sans-serif", ink, { must: true });
      for (let i = 0; i < n && taken.length < LABELS; i++) {
        if (this.marked.has(i)) continue; // it has one
        const [x, y] = this.at(i);
        if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
        const cell = Math.floor(x / CELL) + 1000 * Math.floor(y / CELL);
        const inside = cells.get(cell) ?? 0;
        if (!few && inside >= most) continue;
        const before = taken.length;
        write(i, "12px system-ui, sans-serif", ink);
        cells.set(cell, inside + (taken.length > before ? 1 : 0.25)); // those that found no room count a little
      }
      c.globalAlpha = 1;
      this.labelled = chosen;
    }
    if (this.lasso) {
      c.beginPath();
      this.lasso.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
      c.closePath();
      c.globalAlpha = 0.15;
      c.fillStyle = accent;
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = accent;
      c.lineWidth = 1.5;
      c.stroke();
    }
  }

  // A grid over the places, for the nearest point.
  index() {
    const { places, n } = this.points;
    const { low, high } = n ? this.bounds() : { low: [0, 0], high: [1, 1] };
    const side = Math.max(1, Math.min(512, Math.round(Math.sqrt(n / 2))));
    const step = [0, 1].map((k) => Math.max(high[k] - low[k], 1e-9) / side);
    const cellOf = (x, y) => {
      const place = [x, y].map((value, k) => Math.min(side - 1, Math.max(0, Math.floor((value - low[k]) / step[k]))));
      return place[1] * side + place[0];
    };
    const starts = new Uint32Array(side * side + 1);
    for (let i = 0; i < n; i++) starts[cellOf(places[2 * i], places[2 * i + 1]) + 1]++;
    for (let i = 0; i < side * side; i++) starts[i + 1] += starts[i];
    const [next, rows] = [starts.slice(), new Uint32Array(n)];
    for (let i = 0; i < n; i++) rows[next[cellOf(places[2 * i], places[2 * i + 1])]++] = i;
    this.grid = { low, step, side, starts, rows };
  }

  nearest(x, y, reach = REACH) {
    const { places, n } = this.points;
    if (!n) return -1;
    const { low, step, side, starts, rows } = this.grid;
    const { camera } = this;
    const at = [camera.x + (x - this.width / 2) / camera.zoom, camera.y - (y - this.height / 2) / camera.zoom];
    const far = reach / camera.zoom;
    const range = [0, 1].map((k) => [at[k] - far, at[k] + far].map((value) => Math.min(side - 1, Math.max(0, Math.floor((value - low[k]) / step[k])))));
    let [best, shortest] = [-1, far * far];
    for (let row = range[1][0]; row <= range[1][1]; row++) {
      for (let place = starts[row * side + range[0][0]]; place < starts[row * side + range[0][1] + 1]; place++) {
        const i = rows[place];
        const d = (places[2 * i] - at[0]) ** 2 + (places[2 * i + 1] - at[1]) ** 2;
        if (d < shortest || (d === shortest && i < best)) [best, shortest] = [i, d];
      }
    }
    return best;
  }

  inside(polygon) {
    const found = [];
    for (let i = 0; i < this.points.n; i++) {
      const [x, y] = this.at(i);
      let odd = false;
      for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
        const [[x1, y1], [x2, y2]] = [polygon[a], polygon[b]];
        if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }

  zoomAt(x, y, factor) {
    const { camera } = this;
    const limit = this.whole || camera.zoom;
    const zoom = Math.min(Math.max(camera.zoom * factor, limit / 4), limit * FINEST);
    const at = [camera.x + (x - this.width / 2) / camera.zoom, camera.y - (y - this.height / 2) / camera.zoom];
    this.look({ x: at[0] - (x - this.width / 2) / zoom, y: at[1] + (y - this.height / 2) / zoom, zoom });
  }

  listen() {
    const down = new Map(); // pointers
    let travelled = 0;
    const place = (event) => {
      const box = this.element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const e = this.element;
    e.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomAt(...place(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
    }, { passive: false });
    e.addEventListener("dblclick", (event) => this.zoomAt(...place(event), 2.5));
    e.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      e.setPointerCapture(event.pointerId);
      this.tip.hidden = true;
      down.set(event.pointerId, place(event));
      travelled = 0;
      if (down.size === 1 && (this.lassoing || event.shiftKey)) this.lasso = [place(event)];
    });
    e.addEventListener("pointermove", (event) => {
      const now = place(event);
      if (!down.has(event.pointerId)) {
        this.hover(...now);
        return;
      }
      const before = down.get(event.pointerId);
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (this.lasso) {
        this.lasso.push(now);
        this.redraw();
      } else if (down.size === 1) {
        const { camera } = this;
        this.look({ x: camera.x - (now[0] - before[0]) / camera.zoom, y: camera.y + (now[1] - before[1]) / camera.zoom, zoom: camera.zoom });
      } else {
        const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const [was, is] = [before, now].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
        this.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, is / Math.max(was, 1));
      }
      down.set(event.pointerId, now);
    });
    const up = (event) => {
      if (!down.delete(event.pointerId)) return;
      if (this.lasso) {
        const polygon = this.lasso;
        this.lasso = null;
        if (polygon.length > 2) this.selected(this.inside(polygon));
        this.redraw();
      } else if (event.type === "pointerup" && travelled < 5) {
        const i = this.nearest(...place(event));
        if (i >= 0) this.clicked(i);
        else this.missed();
      }
    };
    e.addEventListener("pointerup", up);
    e.addEventListener("pointercancel", up);
    e.addEventListener("pointerleave", () => (this.tip.hidden = true));
    e.addEventListener("keydown", (event) => {
      const { camera } = this;
      const step = 60 / camera.zoom;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      if (moves[event.key]) this.look({ x: camera.x + moves[event.key][0], y: camera.y + moves[event.key][1], zoom: camera.zoom });
      else if ("+=".includes(event.key)) this.zoomAt(this.width / 2, this.height / 2, 1.4);
      else if (event.key === "-") this.zoomAt(this.width / 2, this.height / 2, 1 / 1.4);
      else if (event.key === "0") this.showAll();
      else if (event.key === "Enter") {
        const i = this.nearest(this.width / 2, this.height / 2, Math.max(this.width, this.height));
        if (i >= 0) this.clicked(i);
      } else return;
      event.preventDefault();
    });
  }

  hover(x, y) {
    const i = this.nearest(x, y);
    this.tip.hidden = i < 0;
    if (i < 0) return;
    this.tip.textContent = this.points.labels[i];
    this.tip.style.left = `${Math.min(x + 12, this.width - 120)}px`;
    this.tip.style.top = `${y + 12}px`;
  }

  // The picture as it is seen.
  async png() {
    this.draw();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [this.canvas.width, this.canvas.height];
    const c = canvas.getContext("2d");
    c.fillStyle = getComputedStyle(this.element).getPropertyValue("--paper").trim() || "#fff";
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(this.canvas, 0, 0);
    c.drawImage(this.overlay, 0, 0);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  // The picture as SVG: dots that are seen, and the labels that fit.
  svg() {
    const parts = [];
    const escape = (text) => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd");
    const { n, labels } = this.points;
    const boxes = [];
    for (let i = 0; i < n; i++) {
      const [x, y] = this.at(i);
      if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const fill = `rgb(${[0, 1, 2].map((k) => Math.round(255 * this.colours[3 * i + k])).join(",")})`;
      parts.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(this.sizes[i] / 2).toFixed(1)}" fill="${fill}" fill-opacity=".7"/>`);
    }
    const order = this.marked.size ? [...this.marked.keys()] : Array.from({ length: n }, (_, i) => i);
    for (const i of order) {
      if (boxes.length >= LABELS) break;
      const [x, y] = this.at(i);
      if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const box = [x, y - 8, x + 7 * labels[i].length + 8, y + 8];
      if (boxes.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      boxes.push(box);
      parts.push(`<text x="${(x + 7).toFixed(1)}" y="${(y + 4).toFixed(1)}">${escape(labels[i])}</text>`);
    }
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" ` +
      `font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  }
}

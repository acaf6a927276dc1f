// Shares of time as pixels: so many small rectangles would be slow to draw.

function pixelOf(colour) {
  const one = document.createElement("canvas");
  one.width = one.height = 1;
  const context = one.getContext("2d", { willReadFrequently: true });
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  return new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer)[0];
}

// The mean of two colours.
const between2 = (a, b) => (((a & 0xfefefefe) >>> 1) + ((b & 0xfefefefe) >>> 1)) | 0xff000000;

const cellPicture = {
  canvas: document.createElement("canvas"),
  key: "",

  start(colours) {
    this.width = Math.max(1, Math.floor(scene.width - scene.gutter));
    this.height = Math.max(1, Math.floor(scene.height - AXIS));
    if (this.canvas.width !== this.width || this.canvas.height !== this.height) Object.assign(this.canvas, { width: this.width, height: this.height });
    this.image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    const key = STATES.map((s) => colours[s.key]).join() + colours.paper;
    if (key !== this.key) {
      this.key = key;
      this.inks = STATES.map((s) => pixelOf(colours[s.key]));
      this.stripe = between2(this.inks[1], pixelOf(colours.paper));
    }
    this.drawn = 0;
  },

  // The states of a row from below, up to a time.
  row(row, until) {
    const shares = scene.sharesOf(row), { start, width } = line.cells;
    const h = scene.rowHeight - scene.strip, bottom = Math.round(scene.y(row) + scene.rowHeight - AXIS);
    const right = Math.min(this.width, Math.ceil(scene.x(until) - scene.gutter));
    const perPixel = (scene.to - scene.from) / (scene.width - scene.gutter) / width;
    const first = (scene.from - start) / width;
    for (let x = 0; x < right; x += 1) {
      const a = Math.max(0, Math.floor(first + x * perPixel)), b = Math.max(a + 1, Math.ceil(first + (x + 1) * perPixel));
      let y = bottom - 1;
      let due = 0;
      for (const s of [1, 0, 2, 3]) {
        let sum = 0;
        for (let i = a * 4 + s; i < b * 4 && i < shares.length; i += 4) sum += shares[i];
        if (sum === 0) continue;
        due += (sum / (b - a)) * h;
        // What there is shows.
        const top = Math.min(y - 1, bottom - 1 - Math.round(due));
        for (; y > top && y >= bottom - h; y -= 1) {
          if (y < 0 || y >= this.height) continue;
          this.pixels[y * this.width + x] = s === 1 && (x + y) % 6 < 2 ? this.stripe : this.inks[s];
        }
      }
    }
    this.drawn += Math.max(0, right);
  },

  end(context) {
    if (this.drawn === 0) return;
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.canvas, scene.gutter, AXIS, this.width, this.height);
    state.drawn.cells = this.drawn;
  },
};

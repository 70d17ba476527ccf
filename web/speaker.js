// Runs in the browser's sound thread (see sound.js): turns the console's samples, unsigned bytes about 128, into the
// machine's.  When frames come late it holds the last value; when too many wait it drops the oldest.

const MOST_FRAMES = 8;
const FRAMES_KEPT = 4;

class Speaker extends AudioWorkletProcessor {
  constructor() {
    super();
    this.frames = [];
    this.position = 0;
    this.rate = 30720;
    this.last = 128;
    this.mean = 0; // loudspeakers play changes, not levels
    this.port.onmessage = ({ data: { samples, rate } }) => {
      this.rate = rate;
      this.frames.push(samples);
      if (this.frames.length > MOST_FRAMES) {
        this.frames.splice(0, this.frames.length - FRAMES_KEPT);
        this.position = 0;
      }
    };
  }

  process(_, [[out]]) {
    const step = this.rate / sampleRate;
    for (let i = 0; i < out.length; i++) {
      if (this.frames.length) {
        const frame = this.frames[0];
        this.last = frame[Math.floor(this.position)];
        this.position += step;
        if (this.position >= frame.length) {
          this.position -= frame.length;
          this.frames.shift();
        }
      }
      const level = (this.last - 128) / 128;
      this.mean += (level - this.mean) * 0.002;
      out[i] = 0.6 * (level - this.mean);
    }
    return true;
  }
}

registerProcessor('speaker', Speaker);

// The console's sound: each frame's samples go to a worklet that plays them one after another.

export class Sound {
  constructor() {
    this.on = true;
    this.context = null;
    this.node = null;
    this.gain = null;
    this.volume = 1;
  }

  /** Browsers allow sound only after a key or a touch: call this then.  Does nothing where there is none. */
  async wake() {
    if (!this.on) return;
    if (this.context) {
      if (this.context.state === 'suspended') await this.context.resume();
      return;
    }
    if (!globalThis.AudioContext) return;
    this.context = new AudioContext({ latencyHint: 'interactive' });
    if (!this.context.audioWorklet) return; // an insecure page
    try {
      await this.context.audioWorklet.addModule(new URL('speaker.js', import.meta.url));
    } catch (error) {
      this.context = null; // to be tried again
      throw error;
    }
    this.node = new AudioWorkletNode(this.context, 'speaker', { numberOfInputs: 0, outputChannelCount: [1] });
    this.gain = this.context.createGain();
    this.gain.gain.value = this.volume;
    this.node.connect(this.gain).connect(this.context.destination);
  }

  /** @param {Uint8Array} samples of a frame, of which there are `fps` a second */
  play(samples, fps) {
    if (this.on) this.node?.port.postMessage({ samples: samples.slice(), rate: samples.length * fps });
  }

  /** @param {number} volume 0 to 1 */
  setVolume(volume) {
    this.volume = volume;
    if (this.gain) this.gain.gain.value = volume;
  }

  toggle() {
    this.on = !this.on;
    if (this.on) this.wake().catch(() => {}); // said by the next key or touch
    else this.context?.suspend();
    return this.on;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The moving mechanism, with the enlarged joint beside it, as a film: one pass at the chosen speed,
// recorded by the browser itself (WebM) or drawn picture by picture (GIF).
import { el, save } from "./dom";
import { animatedGif } from "./gif";
import { FONT } from "./painter";
import type { State } from "./state";
import { css } from "./theme";

const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const GIF = { width: 800, rate: 20, most: 400 }; // pixels, pictures per second, pictures

/** What a film shows. */
export interface Filmed {
  /** Draws the instant at once, and gives the picture of the mechanism. */
  mechanism(): HTMLCanvasElement;
  /** The enlarged joint, if one is shown. */
  joint(): HTMLCanvasElement | undefined;
  caption(): string;
}

/** One picture of a film: mechanism, joint beside it, time and words below. */
class Picture {
  readonly canvas = document.createElement("canvas");
  private context: CanvasRenderingContext2D;
  private scale: number;

  constructor(private state: State, private filmed: Filmed, widest: number) {
    const [mechanism, joint] = [filmed.mechanism(), filmed.joint()];
    const whole = mechanism.width + (joint ? mechanism.height : 0);
    this.scale = Math.min(1, widest / whole);
    // Codecs want even numbers.
    [this.canvas.width, this.canvas.height] = [Math.round(whole * this.scale) & ~1, Math.round(mechanism.height * this.scale) & ~1];
    this.context = this.canvas.getContext("2d", { willReadFrequently: true })!;
    this.context.imageSmoothingQuality = "high";
  }

  draw(): void {
    const { context, canvas, scale } = this;
    const [mechanism, joint] = [this.filmed.mechanism(), this.filmed.joint()];
    context.fillStyle = css("stage");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(mechanism, 0, 0, mechanism.width * scale, mechanism.height * scale);
    if (joint) {
      context.fillStyle = css("paper");
      context.fillRect(mechanism.width * scale, 0, canvas.width, canvas.height);
      const side = 0.94 * canvas.height;
      context.drawImage(joint, canvas.width - 0.97 * canvas.height, 0.03 * canvas.height, side, side);
    }
    const size = Math.max(11, Math.round(canvas.height / 32));
    context.font = `${size}px ${FONT}`;
    context.fillStyle = css("ink");
    context.textBaseline = "bottom";
    context.fillText(`t = ${Number(this.state.time.toPrecision(4))} s   ${this.filmed.caption()}`, size, canvas.height - 0.6 * size);
  }
  pixels(): ImageData {
    this.draw();
    return this.context.getImageData(0, 0, this.canvas.width, this.canvas.height);
  }
}

/** A button for a film as the browser records it. */
export function recorder(state: State, filmed: Filmed): HTMLElement {
  const kind = typeof MediaRecorder === "undefined" ? undefined : KINDS.find((k) => MediaRecorder.isTypeSupported(k));
  const button = el("button", { type: "button", class: "quiet", title: "Record one pass at the chosen speed as a film" }, "Film");
  if (!kind) {
    button.disabled = true;
    button.title = "This browser cannot record films";
    return button;
  }
  let running: MediaRecorder | undefined;
  const record = () => {
    const picture = new Picture(state, filmed, 1920);
    const draw = () => {
      picture.draw();
      if (running) requestAnimationFrame(draw);
    };
    const film = new MediaRecorder(picture.canvas.captureStream(30), { mimeType: kind, videoBitsPerSecond: 8e6 });
    const pieces: Blob[] = [];
    const { loop, playing } = state;
    film.ondataavailable = (e) => pieces.push(e.data);
    film.onstop = () => {
      running = undefined;
      button.textContent = "Film";
      state.loop = loop;
      state.setPlaying(playing);
      save(`mechanism.${kind.includes("webm") ? "webm" : "mp4"}`, new Blob(pieces, { type: kind.split(";")[0] }));
    };
    running = film;
    button.textContent = "Recording … stop";
    state.loop = false;
    state.setFrame(0);
    state.setPlaying(true);
    draw();
    film.start();
  };
  const stop = () => {
    if (running?.state === "recording") running.stop();
  };
  state.on("play", () => {
    if (!state.playing) stop();
  });
  button.addEventListener("click", () => (running ? stop() : record()));
  return button;
}

/** A button for a GIF: evenly spaced instants of the run, of the diagrams' interval if they are zoomed. */
export function gifButton(state: State, filmed: Filmed): HTMLButtonElement {
  const button = el("button", { type: "button", class: "quiet", title: "Save one pass at the chosen speed as an animated GIF, of the zoomed interval if the diagrams are zoomed" }, "GIF");
  button.addEventListener("click", async () => {
    const { playing, frame } = state;
    button.disabled = true;
    state.setPlaying(false);
    const [from, to] = state.zoom ?? [state.begin, state.end];
    const count = Math.min(GIF.most, Math.max(2, Math.round(((to - from) / state.speed) * GIF.rate)));
    const picture = new Picture(state, filmed, GIF.width);
    try {
      const film = await animatedGif(
        count,
        Math.round(100 / GIF.rate),
        (i) => {
          state.seek(from + ((to - from) * i) / count);
          return picture.pixels();
        },
        (share) => (button.textContent = `GIF ${Math.round(100 * share)} %`),
      );
      save("mechanism.gif", film);
    } finally {
      button.textContent = "GIF";
      button.disabled = false;
      state.setFrame(frame);
      state.setPlaying(playing);
    }
  });
  return button;
}

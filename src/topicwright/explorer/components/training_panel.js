// Progress of a training.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="training" aria-labelledby="training-head">
      <h2 id="training-head">Training</h2>
      <p v-if="problem" class="problem" role="alert">{{ problem }}</p>
      <p v-else class="hint" role="status">{{ status }}</p>
      <div class="progress" role="progressbar" aria-label="Sweeps" :aria-valuenow="sweep" aria-valuemin="0" :aria-valuemax="total"><i :style="{ width: 100 * sweep / total + '%' }"></i></div>
      <figure v-for="curve in curves" :key="curve.name">
        <figcaption>{{ curve.name }}</figcaption>
        <svg class="curve" viewBox="0 0 460 190" role="img" :aria-label="curve.summary"><title>{{ curve.summary }}</title>
          <g v-for="tick in curve.y_ticks" :key="tick.y"><line x1="52" x2="398" :y1="tick.y" :y2="tick.y"></line><text class="y-tick" x="44" :y="tick.y" dy=".35em">{{ tick.text }}</text></g>
          <text v-for="tick in curve.x_ticks" :key="'x' + tick.x" class="x-tick" :x="tick.x" y="184">{{ tick.text }}</text>
          <path :d="curve.line"></path><circle :cx="curve.end.x" :cy="curve.end.y" r="4"></circle>
          <text class="value" :x="curve.end.x + 9" :y="curve.end.y" dy=".35em">{{ curve.end.text }}</text>
        </svg>
      </figure>
      <button v-if="!is_over" type="button" @click="$emit('stop_training')">Stop and keep the model</button>
    </section>`,
  props: { sweep: Number, total: Number, time_left: String, problem: String, path: String, is_over: Boolean, curves: list },
  emits: ["stop_training"],
  computed: {
    status() {
      if (this.is_over) return `Training finished. The model is saved as ${this.path}.`;
      return this.sweep ? [`Sweep ${this.sweep} of ${this.total}`, this.time_left].filter(Boolean).join(", ") : "Starting …";
    },
  },
};

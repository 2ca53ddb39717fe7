// A training while it runs.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="training" aria-labelledby="training-head">
      <h2 id="training-head">Training</h2>
      <p v-if="problem" class="problem" role="alert">{{ problem }}</p>
      <p v-else class="hint" role="status">{{ told }}</p>
      <div class="progress" role="progressbar" aria-label="Sweeps" :aria-valuenow="sweep" aria-valuemin="0" :aria-valuemax="last"><i :style="{ width: 100 * sweep / last + '%' }"></i></div>
      <figure v-for="curve in curves" :key="curve.name">
        <figcaption>{{ curve.name }}</figcaption>
        <svg class="curve" viewBox="0 0 460 190" role="img" :aria-label="curve.told"><title>{{ curve.told }}</title>
          <g v-for="tick in curve.up" :key="tick.y"><line x1="52" x2="398" :y1="tick.y" :y2="tick.y"></line><text class="up" x="44" :y="tick.y" dy=".35em">{{ tick.text }}</text></g>
          <text v-for="tick in curve.across" :key="'x' + tick.x" class="across" :x="tick.x" y="184">{{ tick.text }}</text>
          <path :d="curve.line"></path><circle :cx="curve.end.x" :cy="curve.end.y" r="4"></circle>
          <text class="value" :x="curve.end.x + 9" :y="curve.end.y" dy=".35em">{{ curve.end.text }}</text>
        </svg>
      </figure>
      <button v-if="!over" type="button" @click="$emit('stop')">Stop here and keep what was learned</button>
    </section>`,
  props: { sweep: Number, last: Number, left: String, problem: String, path: String, over: Boolean, curves: list },
  emits: ["stop"],
  computed: {
    told() {
      if (this.over) return `Done; the model is in ${this.path}.`;
      return this.sweep ? [`Sweep ${this.sweep} of ${this.last}`, this.left].filter(Boolean).join(", ") : "Getting ready …";
    },
  },
};

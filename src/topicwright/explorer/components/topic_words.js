// Words in the order of λ log p(w|k) + (1 − λ) log p(w|k)/p(w); the browser does this alone, so that the slider is smooth.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="topic-words" aria-labelledby="words-head">
      <h3 id="words-head">Words</h3>
      <div class="slider">
        <label for="lambda"><b>marking</b> words</label>
        <output for="lambda">λ = {{ place.toFixed(2) }}</output>
        <span><b>frequent</b> words</span>
        <input id="lambda" type="range" min="0" max="1" step="0.05" v-model.number="place" :style="{ '--at': 100 * place + '%' }"
               :aria-valuetext="'lambda ' + place.toFixed(2)" @change="$emit('lam', place)">
      </div>
      <div class="word-head" aria-hidden="true"><span>word</span><span></span><span>times</span><span>of all</span></div>
      <ul class="word-rows">
        <li v-for="one in best" :key="one.word">
          <component :is="steerable ? 'button' : 'div'" class="word-row" :type="steerable ? 'button' : null"
              :aria-pressed="steerable ? String(selected.includes(one.word)) : null" @click="steerable && $emit('select', one.word)">
            <span class="word">{{ one.text }}</span>
            <span class="track"><i class="all" :style="{ width: 100 * one.all / most + '%' }"></i><i :style="{ width: 100 * one.times / most + '%' }"></i></span>
            <span class="figure">{{ one.told }}</span>
            <span class="figure">{{ one.share }}</span>
          </component>
        </li>
      </ul>
    </section>`,
  props: { words: list, count: Number, lam: Number, selected: list, steerable: Boolean },
  emits: ["select", "lam"],
  data() { return { place: this.lam ?? 0.6 }; },
  watch: { lam(value) { this.place = value; } },
  computed: {
    best() {
      const relevance = (one) => this.place * one.log_p + (1 - this.place) * one.lift;
      return [...this.words].sort((a, b) => relevance(b) - relevance(a)).slice(0, this.count);
    },
    most() { return Math.max(1, ...this.best.map((one) => one.times)) * 1.15; },
  },
};

// Words sorted by relevance λ log p(w|k) + (1 − λ) log p(w|k)/p(w). The browser sorts them itself, so that the slider is smooth.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="topic-words" aria-labelledby="words-head">
      <h3 id="words-head">Words</h3>
      <div class="slider">
        <label for="lambda"><b>Distinctive</b> words</label>
        <output for="lambda">λ = {{ lambda.toFixed(2) }}</output>
        <span><b>Frequent</b> words</span>
        <input id="lambda" type="range" min="0" max="1" step="0.05" v-model.number="lambda" :style="{ '--at': 100 * lambda + '%' }"
               :aria-valuetext="'lambda ' + lambda.toFixed(2) + ', from distinctive to frequent words'" @change="$emit('set_lambda', lambda)">
      </div>
      <div class="word-head" aria-hidden="true"><span>Word</span><span></span><span title="Tokens of the word in this topic">Count</span><span title="Share of all tokens of the word">In topic</span></div>
      <ul class="word-rows">
        <li v-for="one in shown" :key="one.word">
          <component :is="steerable ? 'button' : 'div'" class="word-row" :type="steerable ? 'button' : null"
              :aria-pressed="steerable ? String(selected.includes(one.word)) : null" @click="steerable && $emit('toggle_word', one.word)">
            <span class="word">{{ one.text }}</span>
            <span class="track"><i class="all" :style="{ width: 100 * one.all / longest + '%' }"></i><i :style="{ width: 100 * one.times / longest + '%' }"></i></span>
            <span class="figure">{{ one.times_text }}</span>
            <span class="figure">{{ one.share }}</span>
          </component>
        </li>
      </ul>
    </section>`,
  props: { words: list, count: Number, lam: Number, selected: list, steerable: Boolean },
  emits: ["toggle_word", "set_lambda"],
  data() { return { lambda: this.lam ?? 0.6 }; },
  watch: { lam(value) { this.lambda = value; } },
  computed: {
    shown() {
      const relevance = (one) => this.lambda * one.log_p + (1 - this.lambda) * one.lift;
      return [...this.words].sort((a, b) => relevance(b) - relevance(a)).slice(0, this.count);
    },
    longest() { return Math.max(1, ...this.shown.map((one) => one.times)) * 1.15; },
  },
};

// A document with each word in the colour of its topic. What is pointed at or reached by arrow keys is told below.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <article class="reading" aria-labelledby="document-title">
      <button type="button" class="link back" @click="$emit('back')">← back</button>
      <div class="bar"><h2 id="document-title" tabindex="-1" aria-live="polite">{{ name }}</h2></div>
      <p class="hint">{{ facts.join(" · ") }}</p>
      <form v-if="steerable" class="actions" @submit.prevent="$emit('label', about)">
        <label for="document-topic">It is about</label>
        <select id="document-topic" v-model.number="about">
          <option v-for="one in topics" :key="one.topic" :value="one.topic">{{ one.topic }} · {{ one.title }}</option>
        </select>
        <button type="submit" :disabled="busy">Say so</button>
      </form>
      <ul class="legend" aria-label="Topics of this document">
        <li v-for="one in legend" :key="one.topic"><button type="button" class="chip" :data-slot="one.slot" @click="$emit('choose', one.topic)"
            @mouseenter="lit = one.topic" @mouseleave="lit = null" @focus="lit = one.topic" @blur="lit = null">
          <i></i><span>{{ one.title }}</span><span class="figure">{{ one.share }}</span></button></li>
      </ul>
      <div class="text" :class="{ dimmed: lit !== null }" role="group" aria-label="Text; arrow keys go from word to word" @keydown="step"
           @mouseover="point" @focusin="point"><template v-for="(piece, n) in pieces" :key="n"><span v-if="piece.topic === null" class="plain">{{ piece.text }}</span><button v-else
        type="button" class="w" :data-n="n" :data-slot="piece.slot" :tabindex="n === reached ? 0 : -1" :class="{ lit: piece.topic === lit }"
        :aria-pressed="steerable ? String(selected.includes(piece.word)) : null" @click="steerable && $emit('select', piece.word)">{{ piece.text }}</button></template></div>
      <p class="why" aria-live="polite">{{ why }}</p>
    </article>`,
  props: {
    name: String, facts: list, pieces: list, legend: list, topics: list, main: Number, steerable: Boolean, busy: Boolean,
    selected: list,
  },
  emits: ["back", "label", "choose", "select"],
  data() { return { lit: null, at: null, about: this.main }; },
  watch: {
    pieces() { this.at = null; },
    main(topic) { this.about = topic; },
  },
  computed: {
    words() { return this.pieces.map((piece, n) => (piece.topic === null ? -1 : n)).filter((n) => n >= 0); },
    reached() { return this.at ?? this.words[0]; },
    why() {
      const piece = this.at === null ? null : this.pieces[this.at];
      return piece?.why ?? "Point at a word, or go there with arrow keys, to see why it has its colour.";
    },
  },
  methods: {
    point(event) {
      const n = event.target.dataset?.n;
      if (n !== undefined) this.at = Number(n);
    },
    step(event) {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = this.words[Math.max(0, Math.min(this.words.length - 1, this.words.indexOf(this.reached) + by))];
      this.at = next;
      this.$nextTick(() => this.$el.querySelector(`[data-n="${next}"]`).focus());
    },
  },
};

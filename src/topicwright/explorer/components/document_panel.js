// A document with each word in the color of its topic. The word under the pointer, or reached by arrow keys, is explained below.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <article class="document-view" aria-labelledby="document-title">
      <button type="button" class="link back" @click="$emit('go_back')">← Back</button>
      <div class="bar"><h2 id="document-title" tabindex="-1" aria-live="polite">{{ name }}</h2></div>
      <p class="hint">{{ facts.join(" · ") }}</p>
      <form v-if="steerable" class="actions" @submit.prevent="$emit('label_document', label)">
        <label for="document-topic">Main topic</label>
        <select id="document-topic" v-model.number="label">
          <option v-for="one in topics" :key="one.topic" :value="one.topic">{{ one.topic }} · {{ one.title }}</option>
        </select>
        <button type="submit" :disabled="busy">Set topic</button>
      </form>
      <ul class="legend" aria-label="Topics of this document">
        <li v-for="one in legend" :key="one.topic"><button type="button" class="chip" :data-slot="one.slot" @click="$emit('open_topic', one.topic)"
            @mouseenter="highlighted = one.topic" @mouseleave="highlighted = null" @focus="highlighted = one.topic" @blur="highlighted = null">
          <i></i><span>{{ one.title }}</span><span class="figure">{{ one.share }}</span></button></li>
      </ul>
      <div class="text" :class="{ dimmed: highlighted !== null }" role="group" aria-label="Text; use the arrow keys to move from word to word" @keydown="move"
           @mouseover="point" @focusin="point"><template v-for="(piece, n) in pieces" :key="n"><span v-if="piece.topic === null" class="plain">{{ piece.text }}</span><button v-else
        type="button" class="token" :data-n="n" :data-slot="piece.slot" :tabindex="n === focusable ? 0 : -1" :class="{ highlighted: piece.topic === highlighted }"
        :aria-pressed="steerable ? String(selected.includes(piece.word)) : null" @click="steerable && $emit('toggle_word', piece.word)">{{ piece.text }}</button></template></div>
      <p class="explanation" aria-live="polite">{{ explanation }}</p>
    </article>`,
  props: {
    name: String, facts: list, pieces: list, legend: list, topics: list, main: Number, steerable: Boolean, busy: Boolean,
    selected: list,
  },
  emits: ["go_back", "label_document", "open_topic", "toggle_word"],
  data() { return { highlighted: null, position: null, label: this.main }; },
  watch: {
    pieces() { this.position = null; },
    main(topic) { this.label = topic; },
  },
  computed: {
    words() { return this.pieces.map((piece, n) => (piece.topic === null ? -1 : n)).filter((n) => n >= 0); },
    focusable() { return this.position ?? this.words[0]; },
    explanation() {
      const piece = this.position === null ? null : this.pieces[this.position];
      return piece?.explanation ?? "Point at a word, or move to it with the arrow keys, to see why it is in its topic.";
    },
  },
  methods: {
    point(event) {
      const n = event.target.dataset?.n;
      if (n !== undefined) this.position = Number(n);
    },
    move(event) {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = this.words[Math.max(0, Math.min(this.words.length - 1, this.words.indexOf(this.focusable) + by))];
      this.position = next;
      this.$nextTick(() => this.$el.querySelector(`[data-n="${next}"]`).focus());
    },
  },
};

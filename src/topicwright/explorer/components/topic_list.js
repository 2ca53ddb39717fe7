// List of topics: one stop of the Tab key, arrow keys go up and down.
const ORDERS = {
  size: (a, b) => b.size - a.size || a.topic - b.topic,
  number: (a, b) => a.topic - b.topic,
  change: (a, b) => b.change - a.change || b.size - a.size || a.topic - b.topic,
};

const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="topic-list">
      <div class="orders" role="group" aria-label="Order of topics">
        <button v-for="[key, label] in orders" :key="key" type="button" class="order" :aria-pressed="String(order === key)"
                @click="order = key">{{ label }}</button>
      </div>
      <ul class="rows" role="listbox" aria-label="Topics" tabindex="0" :aria-activedescendant="'topic-row-' + current" @keydown="move">
        <li v-for="row in sorted" :key="row.topic" :id="'topic-row-' + row.topic" role="option" class="row"
            :aria-selected="String(row.topic === current)" :class="{ chosen: row.topic === current }" @click="choose(row.topic)">
          <span class="number">{{ row.topic }}</span>
          <span class="summary"><b v-if="row.name">{{ row.name }}</b><span class="words">{{ row.words }}</span></span>
          <span class="marks">
            <span v-if="row.pinned" class="pin" title="pinned"><span class="hidden-text">pinned</span></span>
            <span v-if="row.change > 0" class="badge">changed</span>
          </span>
          <span class="share">{{ row.share }}<span class="track"><i :style="{ width: row.width + '%' }"></i></span></span>
        </li>
      </ul>
      <p v-if="n_omitted" class="hint omitted">The {{ topics.length }} largest topics are shown. Search finds the others by number, name or word.</p>
      <details v-if="hidden.length" class="hidden-topics">
        <summary>{{ hidden.length }} hidden</summary>
        <ul><li v-for="row in hidden" :key="row.topic">{{ row.topic }} · {{ row.title }}
          <button type="button" class="link" @click="$emit('show_topic', row.topic)">Show<span class="hidden-text"> topic {{ row.topic }}</span></button></li></ul>
      </details>
    </div>`,
  props: { n_omitted: Number, topics: list, hidden: list, chosen: Number },
  emits: ["open_topic", "show_topic"],
  data() { return { order: "size", current: this.chosen }; }, // keys may come faster than answers
  computed: {
    orders() {
      const always = [["size", "Largest"], ["number", "By number"]];
      return this.topics.some((row) => row.change > 0) ? [...always, ["change", "Most changed"]] : always;
    },
    sorted() { return [...this.topics].sort((a, b) => b.pinned - a.pinned || ORDERS[this.order](a, b)); },
  },
  watch: {
    chosen(topic) { this.current = topic; },
    current() { this.reveal(); },
  },
  mounted() { setTimeout(() => this.reveal()); }, // once the map above has its height
  methods: {
    // Scrolls the list alone. scrollIntoView would move the start of the Tab order too, in Chromium from version 150 on.
    reveal() {
      this.$nextTick(() => {
        const row = this.$el.querySelector(".row.chosen")?.getBoundingClientRect();
        const list = this.$el.querySelector(".rows"), box = list.getBoundingClientRect();
        if (row) list.scrollTop += Math.min(0, row.top - box.top) + Math.max(0, row.bottom - box.bottom);
      });
    },
    choose(topic) {
      this.current = topic;
      this.$emit("open_topic", topic);
    },
    move(event) {
      const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      if (!by || !this.sorted.length) return;
      event.preventDefault();
      const at = this.sorted.findIndex((row) => row.topic === this.current) + by;
      this.choose(this.sorted[Math.max(0, Math.min(this.sorted.length - 1, at))].topic);
    },
  },
};

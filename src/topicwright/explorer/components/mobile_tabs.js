// Tabs of a narrow screen: all topics, the current topic, or the steps.
export default {
  template: `
    <nav class="tabs" aria-label="Parts of the page">
      <button v-for="[key, label] in columns" :key="key" type="button" :aria-pressed="String(column === key)" @click="column = key">{{ label }}<span v-if="key === 'steps' && pending" class="count">{{ pending }}</span></button>
    </nav>`,
  props: { activations: Number, middle: { type: String, default: "Topic" }, pending: { type: Number, default: 0 } },
  data: () => ({ column: "topics" }),
  computed: {
    columns() { return [["topics", "Topics"], ["middle", this.middle], ["steps", "Steps"]]; },
  },
  watch: {
    activations() { this.column = "middle"; },
    column: {
      immediate: true,
      handler(column) {
        document.documentElement.dataset.column = column;
        window.scrollTo(0, 0);
      },
    },
  },
};

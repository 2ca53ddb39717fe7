// On a narrow screen: topics, the topic, or what was said.
export default {
  template: `
    <nav class="tabs" aria-label="Parts of the page">
      <button v-for="[key, label] in parts" :key="key" type="button" :aria-pressed="String(part === key)" @click="part = key">{{ label }}<span v-if="key === 'steps' && waiting" class="count">{{ waiting }}</span></button>
    </nav>`,
  props: { turned: Number, middle: { type: String, default: "Topic" }, waiting: { type: Number, default: 0 } },
  data: () => ({ part: "topics" }),
  computed: {
    parts() { return [["topics", "Topics"], ["middle", this.middle], ["steps", "Steps"]]; },
  },
  watch: {
    turned() { this.part = "middle"; },
    part: {
      immediate: true,
      handler(part) {
        document.documentElement.dataset.part = part;
        window.scrollTo(0, 0);
      },
    },
  },
};

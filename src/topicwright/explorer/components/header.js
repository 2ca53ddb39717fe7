// Header: title, search, branch and color theme.
const NEXT_THEME = { auto: "light", light: "dark", dark: "auto" };

const list = { type: Array, default: () => [] };

export default {
  template: `
    <header class="header">
      <a class="skip" href="#topic-title">Skip to the topic</a>
      <div class="brand"><svg viewBox="0 0 28 28" aria-hidden="true"><circle cx="10" cy="11" r="8"></circle><circle cx="20" cy="9" r="5"></circle><circle cx="18" cy="20" r="6"></circle></svg>
        <h1><span class="name">{{ title }}</span><span class="facts">{{ facts }}</span></h1></div>
      <form class="search" role="search" @submit.prevent="search"><label class="hidden-text" for="search">Search topics, words and documents</label>
        <input id="search" ref="field" type="search" v-model="text" autocomplete="off" spellcheck="false" placeholder="Search words, documents, topics" maxlength="100" @input="searchSoon"></form>
      <div class="tools">
        <template v-if="branches.length"><label class="hidden-text" for="branch">Branch</label>
          <select id="branch" :value="branch" @change="$emit('switch_branch', $event.target.value)"><option v-for="one in branches" :key="one" :value="one">{{ one }}</option></select></template>
        <button type="button" class="icon theme" :title="'Colors: ' + theme" @click="switchTheme"><span aria-hidden="true">{{ { auto: "◐", light: "☀", dark: "☾" }[theme] }}</span><span class="hidden-text">Colors: {{ theme }}; change</span></button>
      </div>
    </header>`,
  props: { title: String, facts: String, branch: String, query: String, branches: list },
  emits: ["search", "switch_branch"],
  data() { return { text: this.query ?? "", theme: localStorage.getItem("topicwright-theme") ?? "auto" }; },
  watch: { query(text) { if (document.activeElement !== this.$refs.field) this.text = text; } },
  mounted() { document.addEventListener("keydown", this.onKey); },
  unmounted() { document.removeEventListener("keydown", this.onKey); },
  methods: {
    searchSoon() {
      clearTimeout(this.timer);
      this.timer = setTimeout(this.search, 180);
    },
    search() {
      clearTimeout(this.timer);
      this.$emit("search", this.text);
    },
    switchTheme() {
      this.theme = NEXT_THEME[this.theme];
      localStorage.setItem("topicwright-theme", this.theme);
      document.documentElement.dataset.theme = this.theme;
    },
    onKey(event) {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.$refs.field.focus();
    },
  },
};

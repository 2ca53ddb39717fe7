// Search results: topics, words and documents.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="search-results">
      <button type="button" class="link back" @click="$emit('go_back')">← Back</button>
      <div class="bar"><h2 tabindex="-1">Search</h2></div>
      <p class="hint" aria-live="polite">{{ summary }}</p>
      <section v-if="topics.length"><h3>Topics</h3>
        <ul class="documents"><li v-for="one in topics" :key="one.topic"><button type="button" class="document" @click="$emit('open_topic', one.topic)">
          <span class="document-header"><b>{{ one.topic }} · {{ one.title }}</b></span><span class="passage">{{ one.words }}</span></button></li></ul></section>
      <section v-if="words.length"><h3>Words</h3>
        <ul class="search-words"><li v-for="one in words" :key="one.word">
          <component :is="steerable ? 'button' : 'span'" class="chip word" :type="steerable ? 'button' : null" :aria-pressed="steerable ? String(selected.includes(one.word)) : null"
              @click="steerable && $emit('toggle_word', one.word)">{{ one.text }}</component>
          <span class="figure">{{ one.times }}</span>
          <span class="chips"><button v-for="topic in one.topics" :key="topic.topic" type="button" class="chip" @click="$emit('open_topic', topic.topic)">{{ topic.title }}<span class="figure">{{ topic.share }}</span></button></span>
        </li></ul></section>
      <section v-if="documents.length"><h3>Documents</h3>
        <ul class="documents"><li v-for="one in documents" :key="one.row"><button type="button" class="document" @click="$emit('open_document', one.row)">
          <span class="document-header"><b>{{ one.name }}</b><span>{{ one.labels.join(" · ") }}</span></span><span class="passage">{{ one.words }}</span></button></li></ul></section>
    </div>`,
  props: {
    query: String, steerable: Boolean, limit: Number,
    topics: list,
    words: list,
    documents: list,
    selected: list,
  },
  emits: ["go_back", "open_topic", "open_document", "toggle_word"],
  computed: {
    summary() {
      const parts = [[this.topics, "topic"], [this.words, "word"], [this.documents, "document"]];
      const found = parts.filter(([list]) => list.length).map(([list, name]) => `${list.length < this.limit ? "" : "the first "}${list.length} ${name}${list.length > 1 ? "s" : ""}`);
      return found.length ? `${found.join(", ")} for “${this.query}”` : `No results for “${this.query}”.`;
    },
  },
};

// What was found.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="found">
      <button type="button" class="link back" @click="$emit('back')">← back</button>
      <div class="bar"><h2 tabindex="-1">Search</h2></div>
      <p class="hint" aria-live="polite">{{ told }}</p>
      <section v-if="topics.length"><h3>Topics</h3>
        <ul class="documents"><li v-for="one in topics" :key="one.topic"><button type="button" class="document" @click="$emit('choose', one.topic)">
          <span class="head"><b>{{ one.topic }} · {{ one.title }}</b></span><span class="passage">{{ one.words }}</span></button></li></ul></section>
      <section v-if="words.length"><h3>Words</h3>
        <ul class="found-words"><li v-for="one in words" :key="one.word">
          <component :is="steerable ? 'button' : 'span'" class="chip word" :type="steerable ? 'button' : null" :aria-pressed="steerable ? String(selected.includes(one.word)) : null"
              @click="steerable && $emit('select', one.word)">{{ one.text }}</component>
          <span class="figure">{{ one.times }}</span>
          <span class="chips"><button v-for="topic in one.topics" :key="topic.topic" type="button" class="chip" @click="$emit('choose', topic.topic)">{{ topic.title }}<span class="figure">{{ topic.share }}</span></button></span>
        </li></ul></section>
      <section v-if="documents.length"><h3>Documents</h3>
        <ul class="documents"><li v-for="one in documents" :key="one.row"><button type="button" class="document" @click="$emit('read', one.row)">
          <span class="head"><b>{{ one.name }}</b><span>{{ one.labels.join(" · ") }}</span></span><span class="passage">{{ one.words }}</span></button></li></ul></section>
    </div>`,
  props: {
    asked: String, steerable: Boolean, most: Number,
    topics: list,
    words: list,
    documents: list,
    selected: list,
  },
  emits: ["back", "choose", "read", "select"],
  computed: {
    told() {
      const parts = [[this.topics, "topic"], [this.words, "word"], [this.documents, "document"]];
      const found = parts.filter(([list]) => list.length).map(([list, name]) => `${list.length < this.most ? "" : "the first "}${list.length} ${name}${list.length > 1 ? "s" : ""}`);
      return found.length ? `${found.join(", ")} for “${this.asked}”` : `Nothing has “${this.asked}” in it.`;
    },
  },
};

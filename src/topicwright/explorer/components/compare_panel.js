// Two branches side by side.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="compare">
      <button type="button" class="link back" @click="$emit('go_back')">← Back</button>
      <div class="bar"><h2 tabindex="-1">{{ names[0] }} and {{ names[1] }}</h2></div>
      <p class="hint">{{ common }} {{ common === 1 ? "step" : "steps" }} in common</p>
      <div class="side-by-side"><section v-for="(steps, n) in [own, other]" :key="n"><h3>Only in {{ names[n] }}</h3>
        <p v-if="!steps.length" class="hint">No edits</p><ul v-else><li v-for="(step, i) in steps" :key="i">{{ step[0].toUpperCase() + step.slice(1) }}</li></ul></section></div>
      <section v-if="contradictions.length"><h3>Conflicts</h3><ul><li v-for="(line, n) in contradictions" :key="n" class="problem">{{ line }}</li></ul></section>
      <section v-if="topics.length"><h3>Topics that differ most</h3>
        <ul class="differing"><li v-for="one in topics" :key="one.topic"><button type="button" class="link" @click="$emit('open_topic', one.topic)">{{ one.topic }} · {{ one.title }}</button>
          <dl class="change"><div><dt>{{ names[0] }}</dt><dd><span v-for="word in one.words" :key="word" :class="{ added: !one.other.includes(word) }">{{ word }} </span></dd></div>
            <div><dt>{{ names[1] }}</dt><dd><span v-for="word in one.other" :key="word" :class="{ added: !one.words.includes(word) }">{{ word }} </span></dd></div></dl></li></ul></section>
      <p v-else class="hint">Both branches have the same topics.</p>
    </div>`,
  props: {
    names: { type: Array, default: () => ["", ""] }, common: Number,
    own: list, other: list,
    contradictions: list, topics: list,
  },
  emits: ["go_back", "open_topic"],
};

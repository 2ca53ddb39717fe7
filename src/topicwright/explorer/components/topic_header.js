// Name and figures of a topic, and the actions that change it.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="topic-header">
      <div class="bar">
        <h2 id="topic-title" tabindex="-1" aria-live="polite"><span class="number">{{ topic }}</span> {{ title }}</h2>
        <span v-if="pinned" class="badge pinned">pinned</span>
      </div>
      <p class="hint">{{ facts.join(" · ") }}</p>
      <div v-if="steerable && !form" class="actions" role="group" aria-label="Change this topic">
        <button type="button" @click="open('rename')">Rename</button>
        <button type="button" @click="open('merge')">Merge</button>
        <button type="button" :disabled="busy" @click="$emit('split_topic', topic)">Split</button>
        <button type="button" :disabled="busy" :aria-pressed="String(pinned)" @click="$emit('toggle_pin', topic)">{{ pinned ? "Unpin" : "Pin" }}</button>
        <button type="button" :disabled="busy" @click="$emit('hide_topic', topic)">Hide</button>
      </div>
      <form v-if="form === 'rename'" class="actions" @submit.prevent="rename" @keydown.esc="form = null">
        <label class="hidden-text" for="topic-name">New name of topic {{ topic }}</label>
        <input id="topic-name" ref="field" v-model="text" maxlength="60" autocomplete="off" placeholder="New name">
        <button type="submit" class="main" :disabled="busy">Rename</button>
        <button type="button" @click="form = null">Cancel</button>
      </form>
      <form v-if="form === 'merge'" class="actions" @submit.prevent="merge" @keydown.esc="form = null">
        <label for="merge-with">Merge with</label>
        <select id="merge-with" ref="field" v-model.number="other">
          <option v-for="one in others" :key="one.topic" :value="one.topic">{{ one.topic }} · {{ one.title }}</option>
        </select>
        <button type="submit" class="main" :disabled="busy">Merge</button>
        <button type="button" @click="form = null">Cancel</button>
      </form>
      <dl v-if="change" class="change">
        <div><dt>Before</dt><dd><span v-for="word in change.before" :key="word[0]" :class="{ removed: word[1] }">{{ word[0] }} </span></dd></div>
        <div><dt>Now</dt><dd><span v-for="word in change.after" :key="word[0]" :class="{ added: word[1] }">{{ word[0] }} </span></dd></div>
        <p class="hint">{{ change.size }}</p>
      </dl>
    </div>`,
  props: {
    topic: Number, name: String, title: String, facts: list, pinned: Boolean, change: Object, steerable: Boolean, busy: Boolean,
    others: list,
  },
  emits: ["rename_topic", "merge_topics", "split_topic", "toggle_pin", "hide_topic"],
  data: () => ({ form: null, text: "", other: null }),
  watch: {
    topic() {
      this.form = null;
      this.$el.closest(".page-column").scrollTop = 0;
    },
  },
  methods: {
    open(form) {
      this.form = form;
      this.text = this.name ?? "";
      this.other = this.others[0]?.topic ?? null;
      this.$nextTick(() => this.$refs.field.focus());
    },
    rename() {
      if (!this.text.trim()) return;
      this.$emit("rename_topic", this.text.trim());
      this.form = null;
    },
    merge() {
      if (this.other === null) return;
      this.$emit("merge_topics", this.other);
      this.form = null;
    },
  },
};

// Branches: create one, compare with another, merge another.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="branches" aria-labelledby="branches-head">
      <h2 id="branches-head">Branches</h2>
      <p class="hint">Current branch: <b>{{ branch }}</b>. Create your own branch to edit without changing what others see.</p>
      <form class="actions" @submit.prevent="create"><label class="hidden-text" for="new-branch">Name of a new branch</label>
        <input id="new-branch" v-model="name" maxlength="40" autocomplete="off" spellcheck="false" placeholder="Name of a new branch">
        <button type="submit" :disabled="busy || !name.trim()">Create</button></form>
      <form v-if="others.length" class="actions" @submit.prevent><label class="hidden-text" for="other-branch">Another branch</label>
        <select id="other-branch" v-model="other"><option v-for="one in others" :key="one" :value="one">{{ one }}</option></select>
        <button type="button" :disabled="busy" @click="$emit('compare_branch', other)">Compare</button>
        <button type="button" :disabled="busy" @click="$emit('merge_branch', other)">Merge</button></form>
    </section>`,
  props: { branch: String, others: list, busy: Boolean },
  emits: ["create_branch", "compare_branch", "merge_branch"],
  data: () => ({ name: "", other: null }),
  watch: {
    others: { immediate: true, handler(list) { if (!list.includes(this.other)) this.other = list[0] ?? null; } },
  },
  methods: {
    create() {
      if (!this.name.trim()) return;
      this.$emit("create_branch", this.name.trim());
      this.name = "";
    },
  },
};

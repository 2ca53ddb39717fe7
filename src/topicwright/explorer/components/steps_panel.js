// Steps of the branch, and the update.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section class="steps" aria-labelledby="steps-head">
      <div class="bar"><h2 id="steps-head">Your edits</h2>
        <div class="undo-redo" role="group" aria-label="Undo and redo">
          <button type="button" class="icon" :disabled="busy || !can_undo" @click="$emit('undo')" title="Undo (Ctrl+Z)"><span aria-hidden="true">↶</span><span class="hidden-text">Undo</span></button>
          <button type="button" class="icon" :disabled="busy || !can_redo" @click="$emit('redo')" title="Redo (Ctrl+Shift+Z)"><span aria-hidden="true">↷</span><span class="hidden-text">Redo</span></button>
        </div>
      </div>
      <p v-if="read_only_reason" class="hint">{{ read_only_reason }}</p>
      <template v-else>
        <p v-if="!steps.length" class="hint empty">No edits yet. Select words of a topic and choose where they belong, or merge, split, rename or pin topics. Then update the model.</p>
        <ol v-else class="log" ref="log" tabindex="0" aria-label="Edits">
          <li v-for="step in steps" :key="step.n" :class="['step', 'of-' + step.kind, { pending: step.pending }]"><span class="sentence">{{ capitalize(step.sentence) }}</span><span v-if="step.pending" class="hidden-text">, pending</span></li>
        </ol>
        <div class="update">
          <p class="outcome hint" role="status">{{ status }}</p>
          <button type="button" class="update-button" :disabled="busy" @click="$emit('update')"><span class="filled" :style="{ width: busy ? 100 * sweeps_done / sweeps_total + '%' : 0 }"></span>
            <span class="label">{{ busy ? "Updating …" : "Update" }}</span></button>
          <button v-if="busy" type="button" class="link" @click="$emit('stop_update')">Stop after this sweep</button>
          <button v-else type="button" class="link" @click="$emit('download_knowledge')" :disabled="!steps.length">Download knowledge file</button>
        </div>
      </template>
    </section>`,
  props: {
    steps: list, can_undo: Boolean, can_redo: Boolean, busy: Boolean, read_only_reason: String,
    sweeps_done: { type: Number, default: 0 }, sweeps_total: { type: Number, default: 20 }, outcome: String,
  },
  emits: ["undo", "redo", "update", "stop_update", "download_knowledge"],
  computed: {
    pending() { return this.steps.filter((step) => step.pending).length; },
    status() {
      if (this.busy) return `Sweep ${this.sweeps_done} of ${this.sweeps_total}`;
      if (this.pending) return `Pending changes: ${this.pending}`;
      return this.outcome || "The model includes all your edits";
    },
  },
  watch: {
    steps() { this.$nextTick(() => this.$refs.log?.scrollTo({ top: 1e6 })); },
  },
  mounted() { document.addEventListener("keydown", this.onKey); },
  unmounted() { document.removeEventListener("keydown", this.onKey); },
  methods: {
    capitalize(text) { return text[0].toUpperCase() + text.slice(1); },
    onKey(event) {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || this.busy) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range") return;
      event.preventDefault();
      if (event.shiftKey ? this.can_redo : this.can_undo) this.$emit(event.shiftKey ? "redo" : "undo");
    },
  },
};

// Actions on the selected words.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section v-show="words.length" class="selection" aria-label="Selected words">
      <p class="chips"><button v-for="word in words" :key="word" type="button" class="chip word" @click="$emit('toggle_word', word)">{{ word }}<span aria-hidden="true"> ×</span><span class="hidden-text">, remove from selection</span></button>
        <button type="button" class="link" @click="$emit('clear_selection')">Clear</button></p>
      <div class="actions" role="group" aria-label="Relation of these words">
        <button type="button" :disabled="busy || words.length < 2" @click="$emit('constrain_words', 'together')">Belong together</button>
        <button type="button" :disabled="busy || words.length < 2" @click="$emit('constrain_words', 'apart')">Keep apart</button>
        <button v-if="has_constraints" type="button" :disabled="busy" @click="$emit('constrain_words', 'forget')">Remove edits</button>
      </div>
      <div class="actions" role="group" :aria-label="'These words and topic ' + topic">
        <span class="selected-topic"><span class="number">{{ topic }}</span> {{ title }}:</span>
        <button type="button" :disabled="busy" @click="$emit('constrain_words', 'here')">Belong here</button>
        <button type="button" :disabled="busy" @click="$emit('constrain_words', 'never')">Never here</button>
        <button type="button" :disabled="busy" @click="$emit('constrain_words', 'split')">Split off</button>
      </div>
    </section>`,
  props: { words: list, topic: Number, title: String, has_constraints: Boolean, busy: Boolean },
  emits: ["constrain_words", "toggle_word", "clear_selection"],
};

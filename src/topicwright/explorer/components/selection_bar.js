// What can be said of the words that are selected.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <section v-show="words.length" class="selection" aria-label="Selected words">
      <p class="chips"><button v-for="word in words" :key="word" type="button" class="chip word" @click="$emit('drop', word)">{{ word }}<span aria-hidden="true"> ×</span><span class="hidden-text">, remove from selection</span></button>
        <button type="button" class="link" @click="$emit('clear')">Clear</button></p>
      <div class="actions" role="group" aria-label="What about these words?">
        <button type="button" :disabled="busy || words.length < 2" @click="$emit('say', 'together')">Belong together</button>
        <button type="button" :disabled="busy || words.length < 2" @click="$emit('say', 'apart')">Keep apart</button>
        <button v-if="said" type="button" :disabled="busy" @click="$emit('say', 'forget')">Forget what was said</button>
      </div>
      <div class="actions" role="group" :aria-label="'What about these words and topic ' + topic + '?'">
        <span class="about"><span class="number">{{ topic }}</span> {{ title }}:</span>
        <button type="button" :disabled="busy" @click="$emit('say', 'here')">Belong here</button>
        <button type="button" :disabled="busy" @click="$emit('say', 'never')">Never here</button>
        <button type="button" :disabled="busy" @click="$emit('say', 'split')">Split off</button>
      </div>
    </section>`,
  props: { words: list, topic: Number, title: String, said: Boolean, busy: Boolean },
  emits: ["say", "drop", "clear"],
};

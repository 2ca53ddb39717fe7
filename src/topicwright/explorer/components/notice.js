// Messages that close after some seconds.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="notice" role="alert" :class="{ open }"><template v-if="open"><p v-for="message in messages" :key="message">{{ message }}</p>
      <button type="button" class="link" @click="open = false">Close</button></template></div>`,
  props: { messages: list, count: Number },
  data: () => ({ open: false }),
  watch: {
    count: {
      immediate: true, // messages may be there when the page opens
      handler(count) {
        if (!count) return;
        this.open = true;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => (this.open = false), 12000);
      },
    },
  },
};

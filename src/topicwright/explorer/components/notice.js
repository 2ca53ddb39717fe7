// Lines that come and go.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="notice" role="alert" :class="{ open }"><template v-if="open"><p v-for="line in lines" :key="line">{{ line }}</p>
      <button type="button" class="link" @click="open = false">Close</button></template></div>`,
  props: { lines: list, n: Number },
  data: () => ({ open: false }),
  watch: {
    n: {
      immediate: true, // lines may be there when the page opens
      handler(n) {
        if (!n) return;
        this.open = true;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => (this.open = false), 12000);
      },
    },
  },
};

// Topic map. One topic is in the order of the Tab key; arrow keys go to the next circle in their direction.
const NARROW = 430;
const EMPTY = { width: 560, height: 430, circles: [] };
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const list = { type: Array, default: () => [] };

export default {
  template: `
    <svg class="map" role="group" aria-label="Map of topics" :viewBox="box" @keydown="move">
      <g v-for="circle in map.circles" :key="circle.topic" role="button" :ref="(node) => (nodes[circle.topic] = node)"
         :tabindex="circle.topic === focusable ? 0 : -1" :aria-label="circle.title" :aria-pressed="String(circle.topic === chosen)"
         :class="['circle', { chosen: circle.topic === chosen, neighbor: neighbors.includes(circle.topic), changed: changed.includes(circle.topic) }]"
         :style="{ transform: 'translate(' + circle.x + 'px,' + circle.y + 'px)' }"
         @click="choose(circle.topic)" @keydown.enter.prevent="choose(circle.topic)" @keydown.space.prevent="choose(circle.topic)">
        <title>{{ circle.title }}</title>
        <circle class="ring" :r="circle.r + 4"></circle>
        <circle class="disc" :r="circle.r"></circle>
        <text v-if="circle.number" class="number" dy=".35em">{{ circle.number }}</text>
      </g>
      <text v-for="circle in named" :key="'name' + circle.topic" class="name" :class="{ chosen: circle.topic === chosen }"
            :x="circle.at[0]" :y="circle.at[1]" dy=".35em" aria-hidden="true">{{ circle.name }}</text>
    </svg>`,
  props: { maps: { type: Object, default: () => ({ wide: EMPTY, narrow: EMPTY }) }, chosen: Number, neighbors: list, changed: list },
  emits: ["open_topic"],
  data: () => ({ narrow: false, focused: null, nodes: {} }),
  computed: {
    map() { return this.narrow ? this.maps.narrow : this.maps.wide; },
    box() { return `0 0 ${this.map.width} ${this.map.height}`; },
    named() {
      const hasName = (circle) => circle.name_position || circle.topic === this.chosen;
      return this.map.circles.filter(hasName).map((circle) => ({ ...circle, at: circle.name_position ?? [circle.x, circle.y + circle.r + 9] }));
    },
    focusable() {
      const isOnMap = (topic) => this.map.circles.some((circle) => circle.topic === topic);
      return [this.focused, this.chosen].find(isOnMap) ?? this.map.circles[0]?.topic;
    },
  },
  mounted() {
    this.observer = new ResizeObserver(([entry]) => (this.narrow = entry.contentRect.width < NARROW));
    this.observer.observe(this.$el);
  },
  unmounted() { this.observer.disconnect(); },
  methods: {
    choose(topic) {
      this.focused = topic;
      this.$emit("open_topic", topic);
    },
    move(event) {
      const direction = DIRECTIONS[event.key];
      if (!direction) return;
      event.preventDefault();
      const from = this.map.circles.find((circle) => circle.topic === this.focusable);
      let best = null, least = Infinity;
      for (const circle of this.map.circles) {
        const [x, y] = [circle.x - from.x, circle.y - from.y];
        const along = x * direction[0] + y * direction[1], across = Math.abs(x * direction[1]) + Math.abs(y * direction[0]);
        const cost = along + 2 * across;
        if (along > 0 && across <= 2 * along && cost < least) [best, least] = [circle, cost];
      }
      if (!best) return;
      this.focused = best.topic;
      this.$nextTick(() => this.nodes[best.topic].focus());
    },
  },
};
